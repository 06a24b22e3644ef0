#include "service/work/workflow_library.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "actions/workflow_text.hpp"
#include "files/trusted_path.hpp"

namespace pawl::service {
namespace {

namespace fs = std::filesystem;

bool is_workflow_file(const fs::path& path) {
  const std::string name = path.filename().string();
  // Editors keep their own files beside those that they edit.
  return !name.starts_with('.') && (path.extension() == ".yaml" || path.extension() == ".yml");
}

/// A file or directory that cannot be read at all.
LibraryFile unreadable(const fs::path& path, const Error& error) {
  Diagnostic fault;
  fault.code = "E001";
  fault.message = error.message;
  fault.help = error.help;
  fault.file = path.filename().string();
  return {.name = path.stem().string(), .path = path, .file = nullptr, .diagnostics = {fault}};
}

/// The workflow files of a directory, by name.
Result<std::vector<fs::path>> files_in(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code failed;
  fs::directory_iterator entry(directory, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (is_workflow_file(entry->path())) found.push_back(entry->path());
  }
  if (failed) {
    return fail(ErrorCode::invalid,
                "cannot read the directory '" + directory.string() + "': " + failed.message(),
                "list a directory with workflow files in the settings");
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

WorkflowLibrary::WorkflowLibrary(std::vector<fs::path> directories, bool trust_owner)
    : trust_owner_(trust_owner), files_(read(directories)) {}

void WorkflowLibrary::reload(std::vector<fs::path> directories) {
  Files files = read(directories);
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
}

std::vector<std::shared_ptr<const LibraryFile>> WorkflowLibrary::all() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

Result<std::shared_ptr<const LibraryFile>> WorkflowLibrary::find(const std::string& name) const {
  Files named;
  std::vector<std::string> names;
  for (const std::shared_ptr<const LibraryFile>& one : all()) {
    names.push_back(one->name);
    if (one->name == name) named.push_back(one);
  }
  const bool has_good =
      std::ranges::any_of(named, [](const auto& one) { return one->file != nullptr; });
  if (has_good) std::erase_if(named, [](const auto& one) { return one->file == nullptr; });
  if (named.size() == 1) return std::move(named.front());
  if (named.empty()) {
    const std::string nearest = nearest_name(name, names);
    return fail(ErrorCode::not_found, "no such workflow: '" + name + "'",
                nearest.empty() ? "the known ones are listed at /api/v1/workflows"
                                : "did you mean '" + nearest + "'?");
  }
  std::string paths;
  for (const auto& one : named) paths += (paths.empty() ? "" : ", ") + one->path.string();
  return fail(ErrorCode::conflict, "several files have the workflow '" + name + "': " + paths,
              "rename all but one of them, and make the service reload its files");
}

LibraryFile WorkflowLibrary::read_again(const LibraryFile& file) const {
  return read_file(file.path);
}

Status WorkflowLibrary::check_owner(const fs::path& path) const {
  if (trust_owner_) return {};
  if (const Status safe = files::check_trusted(path); !safe) return safe;
  return files::check_trusted(path.parent_path());
}

WorkflowLibrary::Files WorkflowLibrary::read(const std::vector<fs::path>& directories) const {
  Files files;
  std::vector<fs::path> seen;
  for (const fs::path& directory : directories) {
    const Result<std::vector<fs::path>> paths = files_in(directory);
    if (!paths) {
      files.push_back(std::make_shared<LibraryFile>(unreadable(directory, paths.error())));
      continue;
    }
    for (const fs::path& path : *paths) {
      // The settings may list a directory twice.
      if (std::ranges::find(seen, path) != seen.end()) continue;
      seen.push_back(path);
      files.push_back(std::make_shared<LibraryFile>(read_file(path)));
    }
  }
  std::ranges::sort(files, [](const auto& a, const auto& b) {
    return std::pair(a->name, a->path) < std::pair(b->name, b->path);
  });
  return files;
}

LibraryFile WorkflowLibrary::read_file(const fs::path& path) const {
  if (const Status safe = check_owner(path); !safe) return unreadable(path, safe.error());
  const std::string name = path.filename().string();
  const Result<std::string> text = actions::read_workflow_text(path, name);
  if (!text) return unreadable(path, text.error());
  auto loaded = load_workflow_file(*text, {.name = name, .project = path.parent_path()});
  LibraryFile file{.name = path.stem().string(), .path = path, .file = nullptr, .diagnostics = {}};
  if (!loaded) {
    file.diagnostics = std::move(loaded.error());
    return file;
  }
  file.name = loaded->workflow.name();
  file.diagnostics = loaded->warnings;
  file.file = std::make_shared<WorkflowFile>(std::move(*loaded));
  return file;
}

}  // namespace pawl::service
