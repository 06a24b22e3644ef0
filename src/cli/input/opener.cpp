#include "cli/input/opener.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "cli/input/draft.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/programs.hpp"
#include "cli/output/file_outputs.hpp"
#include "files/private_files.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

void add(std::vector<ReviewFile>& files, const std::string& name, const std::string& sha256) {
  if (std::ranges::find(files, sha256, &ReviewFile::sha256) != files.end()) return;
  files.push_back({.name = name, .sha256 = sha256});
}

void add_files_in(const Json& value, std::vector<ReviewFile>& files) {
  if (!value.text().contains("\"$file\"")) return;
  if (const auto file = codec::file_of(value)) return add(files, file->name, file->sha256);
  if (is_array(value)) {
    for (const Json& one : elements(value)) add_files_in(one, files);
  } else if (is_object(value)) {
    for (const auto& [key, one] : members(value)) add_files_in(one, files);
  }
}

bool is_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder.empty() ? "." : folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

/// Empty: there is none.
std::string opener_command() {
  const char* const chosen = std::getenv("PAWL_OPENER");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return is_in_path("xdg-open") ? "xdg-open" : "";
}

}  // namespace

std::vector<ReviewFile> files_of(const views::ShownReview& shown) {
  std::vector<ReviewFile> files;
  add_files_in(shown.output, files);
  add_files_in(shown.in, files);
  if (const Attempt* const attempt = shown.find(shown.review.attempt)) {
    for (const ArtifactRecord& one : attempt->artifacts) {
      if (one.kind == ArtifactKind::file && !one.sha256.empty()) add(files, one.name, one.sha256);
    }
  }
  return files;
}

FileOpener::~FileOpener() {
  std::error_code ignored;
  if (!directory_.empty()) fs::remove_all(directory_, ignored);
  if (!directory_.empty()) fs::remove(directory_.parent_path(), ignored);  // only if it is empty
}

void FileOpener::open_one_of(const std::vector<ReviewFile>& files) {
  if (files.empty()) return session_.print("there are no files to open\n");
  if (files.size() == 1) return open(files.front());
  for (std::size_t i = 0; i < files.size(); ++i) {
    session_.print("  " + std::to_string(i + 1) + "  " + printable(files[i].name) + "\n");
  }
  session_.print("which one? ");
  session_.streams().out->flush();
  const std::optional<std::string> typed = read_line();
  if (!typed) return;  // the next key is Ctrl-C
  std::size_t number = 0;
  const char* const end = typed->data() + typed->size();
  const auto read = std::from_chars(typed->data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number == 0 || number > files.size()) {
    return session_.print("not opened: type a number from 1 to " + std::to_string(files.size()) +
                          "\n");
  }
  open(files[number - 1]);
}

void FileOpener::open(const ReviewFile& file) {
  const Result<fs::path> stored = records_.payload_path(file.sha256);
  if (!stored) {
    session_.fail(stored.error());
    return;
  }
  const std::string opener = opener_command();
  if (opener.empty()) {
    return session_.print("no program to open it with: set PAWL_OPENER. The file is " +
                          printable(stored->string()) + "\n");
  }
  const std::optional<fs::path> copy = named_copy(file, *stored);
  if (!copy) {
    return session_.print("cannot copy the file for '" + printable(opener) + "'. It is " +
                          printable(stored->string()) + "\n");
  }
  if (run_program(session_, opener, *copy) == ProgramEnd::failed) {
    session_.print("'" + printable(opener) + "' failed. The file is " +
                   printable(stored->string()) + "\n");
  }
}

std::optional<fs::path> FileOpener::named_copy(const ReviewFile& file, const fs::path& stored) {
  if (directory_.empty()) {
    const Result<Draft> place = Draft::named(session_, "opened-" + std::to_string(::getpid()));
    if (!place || !files::make_private_directories(place->path())) return std::nullopt;
    directory_ = place->path();
  }
  // Each in a directory of its own: two files may have the same name.
  const fs::path folder = directory_ / std::to_string(++copies_);
  fs::path copy = folder / safe_file_name(file.name);
  std::error_code failed;
  fs::create_directory(folder, failed);
  if (!failed) fs::copy_file(stored, copy, failed);
  if (failed) return std::nullopt;
  return copy;
}

}  // namespace pawl::cli
