/// Whatever stands in the address of a PostgreSQL store: it is read or refused, its schema is a
/// plain name, and no message ever shows the password.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "postgres/address.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  constexpr std::string_view password = "hunter2-swordfish";
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find(password) != std::string::npos) return 0;  // then it stands where none should
  const std::string secret(password);
  for (const std::string& url :
       {text, "postgres://eve:" + secret + "@" + text, "postgres://eve:" + secret + text,
        "postgres://h/d?password=" + secret + "&" + text}) {
    const auto address = postgres::read_address(url);
    if (!address) {
      require(address.error().code == ErrorCode::invalid, "refused for another reason");
      require(!address.error().message.empty(), "refused without a reason");
      require(address.error().text().find(password) == std::string::npos,
              "a message shows the password: " + address.error().text());
      continue;
    }
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    require(!address->schema.empty() && std::ranges::all_of(address->schema, plain),
            "a schema that needs quotes");
    require(!address->shown.empty(), "an address that cannot be shown");
    require(address->shown.find(password) == std::string::npos,
            "the place shows the password: " + address->shown);
    require(address->conninfo.find('\0') == std::string::npos, "libpq sees half of it");
  }
  return 0;
}
