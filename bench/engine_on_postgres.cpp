#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"
#include "pawl/store/postgres.hpp"

namespace pawl::bench {

std::shared_ptr<Store> postgres_store(const std::string& url) {
  return must(open_postgres_store({.url = url}), "a store");
}

ServedSample engine_on_postgres(const std::string& server, std::int64_t items) {
  const Schema schema(server);
  const Program program = chain();
  const JobId job = submit_to(*postgres_store(schema.store()), program, items);
  const ServerWatch watch(server, schema.name());
  ServedSample sample;
  sample.sample = run_to_the_end(postgres_store(schema.store()), program, job);
  sample.served = watch.served();
  return sample;
}

}  // namespace pawl::bench
