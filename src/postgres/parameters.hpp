#pragma once

/// The parameters of one statement, in PostgreSQL's binary form.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/arrays.hpp"
#include "postgres/types.hpp"
#include "sql/session.hpp"

namespace pawl::postgres {

class Parameters {
 public:
  Parameters() = default;
  /// Text is copied.
  explicit Parameters(std::span<const sql::Value> values);
  /// Numbers and texts as accepted by `sql::value_of`.
  template <class... Values>
  [[nodiscard]] static Parameters of(const Values&... values) {
    Parameters made;
    (made.add(sql::value_of(values)), ...);
    return made;
  }

  Parameters& add(const sql::Value& value);
  Parameters& add(ArrayColumn& column);
  Parameters& add_numbers(std::span<const std::int64_t> numbers);
  Parameters& add_bytes(std::string_view bytes);
  Parameters& add_all(ArrayRows& rows);

  [[nodiscard]] int count() const { return static_cast<int>(types_.size()); }
  [[nodiscard]] const std::vector<TypeId>& types() const { return types_; }

  /// In the form that libpq expects; valid as long as this object.
  struct Raw {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  [[nodiscard]] Raw raw() const;

 private:
  void add(TypeId type, std::string bytes, bool is_null = false);

  std::vector<TypeId> types_;
  std::vector<std::string> bytes_;
  std::vector<bool> is_null_;
};

}  // namespace pawl::postgres
