#include "files/regular_file.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

Result<KeptFile> Store::keep_file(const std::filesystem::path& path) {
  return keep_stream([path](const ByteSink& sink) { return files::read_regular_file(path, sink); });
}

}  // namespace pawl
