#include "postgres/sessions.hpp"

namespace pawl::postgres {

namespace {

std::string set_up(const Address& address) {
  return "SET search_path = " + quoted_name(address.schema) +
         "; SET statement_timeout = '60s'; SET lock_timeout = '10s'; "
         "SET idle_in_transaction_session_timeout = '5s'; SET jit = off; "
         // Every read has an index; use it even if the statistics are missing or old.
         "SET enable_seqscan = off";
}

}  // namespace

/// A reader wants the first rows in the order of an index. Without statistics, the server would
/// rather collect all of them first and sort them.
std::string reader_set_up(const Address& address) {
  return set_up(address) + "; SET enable_bitmapscan = off";
}

std::string writer_set_up(const Address& address) {
  return set_up(address) +
         "; SET plan_cache_mode = force_generic_plan; "
         "SET enable_hashjoin = off; SET enable_mergejoin = off";
}

}  // namespace pawl::postgres
