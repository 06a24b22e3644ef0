#include "actions/file_digest.hpp"

#include <fstream>
#include <vector>

#include "pawl/codec/digest.hpp"

namespace pawl::actions {

Result<std::string> digest_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 18U);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.update({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (!file.eof()) return fail(ErrorCode::unavailable, "cannot read " + path.string());
  return digest.finish_hex();
}

}  // namespace pawl::actions
