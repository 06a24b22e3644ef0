#include "pawl/store/store.hpp"
#include "store/regular_file.hpp"

namespace pawl {

Result<KeptFile> Store::keep_file(const std::filesystem::path& path) {
  return keep_stream([path](const ByteSink& sink) { return read_regular_file(path, sink); });
}

}  // namespace pawl
