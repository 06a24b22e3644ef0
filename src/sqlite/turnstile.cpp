#include "sqlite/turnstile.hpp"

#include "sqlite/paths.hpp"

namespace pawl::sqlite {

Turnstile::Turnstile(const std::filesystem::path& database)
    : next_(beside(database, ".next")), writer_(beside(database, ".writer")) {}

Turnstile::Turn Turnstile::enter() {
  next_.lock();
  try {
    writer_.lock();
  } catch (...) {
    next_.unlock();
    throw;
  }
  next_.unlock();
  return Turn(writer_);
}

}  // namespace pawl::sqlite
