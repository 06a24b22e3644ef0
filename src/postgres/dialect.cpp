#include "postgres/dialect.hpp"

namespace pawl::postgres {

std::string in_our_dialect(std::string_view sql) {
  constexpr std::string_view hint = " INDEXED BY ";
  std::string text;
  text.reserve(sql.size());
  for (std::size_t at = 0; at < sql.size();) {
    if (sql.substr(at).starts_with(hint)) {
      at = sql.find(' ', at + hint.size());
      if (at == std::string_view::npos) break;
      continue;
    }
    text += sql[at] == '?' ? '$' : sql[at];
    ++at;
  }
  return text;
}

}  // namespace pawl::postgres
