#include "sqlite/read_ports.hpp"

#include "sqlite/faults.hpp"

namespace pawl::sqlite {

std::optional<Error> PooledReads::read(const std::function<void(sql::Session&)>& body) {
  Status done = guarded(path_, [&]() -> Status {
    const ReaderPool::Lease connection = readers_.borrow();
    const Transaction snapshot(*connection, Transaction::Kind::read);
    body(*connection);
    return {};
  });
  if (done) return std::nullopt;
  return std::move(done.error());
}

Result<std::string> PayloadReads::read(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::string> { return files_.read(sha256); });
}

Result<std::filesystem::path> PayloadReads::path_of(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::filesystem::path> {
    return std::filesystem::absolute(files_.find(sha256));
  });
}

}  // namespace pawl::sqlite
