#include "workflow/case_files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace pawl::testing {
namespace {

/// Bytes that no text file of the project may contain.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\t") == 0) {
      plain += '\t';
      i += 1;
    } else if (text.compare(i, 2, "\\x") == 0) {
      plain += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

std::filesystem::path source_directory() { return PAWL_SOURCE_DIRECTORY; }
std::filesystem::path cases_directory() { return source_directory() / "tests/workflow/cases"; }

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<CaseFile> case_files() {
  std::vector<CaseFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(cases_directory())) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".yaml") continue;
    CaseFile file{.path = path, .name = path.stem().string(), .text = read_whole(path)};
    if (file.name.ends_with(".escaped")) {
      file.name.resize(file.name.size() - std::string_view(".escaped").size());
      file.text = unescaped(file.text);
    }
    const std::string first = file.name.substr(0, file.name.find('-'));
    if (first != "several") file.code = first;
    files.push_back(std::move(file));
  }
  std::ranges::sort(files, {}, &CaseFile::name);
  return files;
}

}  // namespace pawl::testing
