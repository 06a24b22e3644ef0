#include "cli/output/file_outputs.hpp"

#include "cli/output/render.hpp"

namespace pawl::cli {

using codec::FileValue;

std::vector<std::string> readable_lines(Records& records, const Json& output) {
  return views::readable_lines(output, [&](const FileValue& file) {
    const Result<std::filesystem::path> path = records.payload_path(file.sha256);
    return views::lines_of_file(records, file, path ? path->string() : "its content is missing");
  });
}

}  // namespace pawl::cli
