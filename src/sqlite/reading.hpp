#pragma once

/// How every source of SqliteRecords reads.

#include "sqlite/faults.hpp"
#include "sqlite/sqlite_records.hpp"

namespace pawl::sqlite {

template <class Body>
auto SqliteRecords::read(Body body) -> std::invoke_result_t<Body, Connection&> {
  return guarded(path_, [&]() -> std::invoke_result_t<Body, Connection&> {
    const ReaderPool::Lease connection = readers_.borrow();
    const Transaction snapshot(*connection, Transaction::Kind::read);
    return body(*connection);
  });
}

}  // namespace pawl::sqlite
