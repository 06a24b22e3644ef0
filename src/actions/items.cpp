#include "pawl/actions/items.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "actions/file_digest.hpp"
#include "actions/glob.hpp"
#include "actions/item_lines.hpp"
#include "actions/item_source.hpp"
#include "actions/log_text.hpp"
#include "actions/process.hpp"
#include "actions/resolve.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/item_key.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

using namespace actions;

using workflow::Reference;
using workflow::Template;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t page_size = 1'000;
constexpr std::size_t faults_max = 20;

/// The data of the next item, and the digest it is compared by unless that is the digest of the
/// data.
struct Raw {
  Json data;
  std::string sha256;
  std::string place;  ///< for errors
};
/// Returns false at the end.
using Documents = std::function<Result<bool>(Raw&)>;

std::shared_ptr<std::FILE> closing(std::FILE* file) {
  return {file, [](std::FILE* open) { std::fclose(open); }};
}

Lookup params_lookup(const Json& params) {
  return [params](const Reference& reference) -> Result<Json> {
    if (reference.root == Reference::Root::params) return value_at(params, reference.path);
    return fail(ErrorCode::invalid, reference.text() + " cannot be used where items are read");
  };
}

Lookup item_lookup(const Json& params, const Json& data) {
  return [params, data](const Reference& reference) -> Result<Json> {
    if (reference.root == Reference::Root::params) return value_at(params, reference.path);
    if (reference.root != Reference::Root::item) {
      return fail(ErrorCode::invalid, reference.text() + " cannot be used where items are read");
    }
    // Until an item has its key, `id` is a field like any other.
    if (!is_object(data) && reference.path == "value") return data;
    return value_at(data, reference.path);
  };
}

Result<std::string> source_text(const std::string& text, const Json& params) {
  const auto value = resolve_argument(text, params_lookup(params), nullptr, "the source of items");
  if (!value) return std::unexpected(value.error());
  if (!*value) return fail(ErrorCode::invalid, "the source of items, " + text + ", is null");
  return **value;
}

/// A pattern with params in it. The value of a param is taken literally, unless it is the whole
/// pattern.
Result<std::string> pattern_text(const std::string& text, const Json& params) {
  const auto made = Template::parse(text);
  if (!made || made->single() != nullptr) return source_text(text, params);
  std::string pattern;
  for (const Template::Piece& piece : made->pieces()) {
    if (const auto* const plain = std::get_if<std::string>(&piece)) {
      pattern += *plain;
      continue;
    }
    const Result<std::string> value = source_text(std::get<Reference>(piece).text(), params);
    if (!value) return value;
    pattern += literal_pattern(*value);
  }
  return pattern;
}

Result<Documents> from_list(std::vector<Json> list) {
  return [list = std::move(list), at = std::size_t{0}](Raw& raw) mutable -> Result<bool> {
    if (at == list.size()) return false;
    raw = {.data = list[at], .sha256 = {}, .place = "item " + std::to_string(at + 1)};
    ++at;
    return true;
  };
}

Result<Documents> from_pattern(const std::string& source, const Json& params,
                               const fs::path& project) {
  const Result<std::string> pattern = pattern_text(source, params);
  if (!pattern) return std::unexpected(pattern.error());
  Result<std::vector<std::string>> found = find_files(project, *pattern);
  if (!found) return std::unexpected(found.error());
  return
      [found = std::move(*found), project, at = std::size_t{0}](Raw& raw) mutable -> Result<bool> {
        if (at == found.size()) return false;
        const std::string& path = found[at++];
        Result<std::string> digest = digest_of(project / path);
        if (!digest) return std::unexpected(digest.error());
        raw = {.data = Json::object({{"path", path}, {"name", fs::path(path).filename().string()}}),
               .sha256 = std::move(*digest),
               .place = path};
        return true;
      };
}

Documents from_lines(ItemLines lines) {
  return [lines = std::move(lines)](Raw& raw) mutable -> Result<bool> {
    const Result<bool> read = lines.next(raw.data);
    raw.sha256.clear();
    raw.place = lines.place();
    return read;
  };
}

Result<Documents> from_file(const std::string& source, const Json& params,
                            const fs::path& project) {
  const Result<std::string> name = source_text(source, params);
  if (!name) return std::unexpected(name.error());
  const fs::path path = project / *name;
  std::error_code ignored;
  std::FILE* const file =
      fs::is_directory(path, ignored) ? nullptr : std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    const bool is_directory = fs::is_directory(path, ignored);
    return fail(ErrorCode::invalid,
                "cannot read the items in " + *name + ": " +
                    (is_directory ? "it is a directory" : std::generic_category().message(errno)));
  }
  return from_lines(ItemLines(closing(file), *name));
}

std::vector<std::string> plain_environment() {
  std::vector<std::string> env;
  for (const char* const name : {"PATH", "HOME", "LANG", "TZ", "TMPDIR"}) {
    if (const char* const value = std::getenv(name)) env.push_back(std::string(name) + "=" + value);
  }
  return env;
}

Result<Documents> from_command(const std::vector<std::string>& argv, const Json& params,
                               const fs::path& project) {
  Result<std::vector<std::string>> line = resolve_command(argv, params_lookup(params), nullptr);
  if (!line) return std::unexpected(line.error());
  // Uses a temporary file, so that millions of items need no memory.
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) {
    return fail(ErrorCode::unavailable, "cannot create a temporary file for the items: " +
                                            std::generic_category().message(errno));
  }
  std::shared_ptr<std::FILE> output = closing(file);
  ProcessSpec spec;
  spec.argv = std::move(*line);
  spec.env = plain_environment();
  spec.cwd = project;
  spec.out_to = ::fileno(file);
  const std::string name = "the output of " + spec.argv.front();
  const ProcessEnd end = run_process(spec);
  if (end.how != ProcessEnd::How::exited || end.number != 0) {
    std::string why = end.fault_text;
    if (end.how == ProcessEnd::How::exited) why = "exit " + std::to_string(end.number);
    if (end.how == ProcessEnd::How::signalled) why = "ended by " + signal_name(end.number);
    if (const std::string last = last_line(end.err); !last.empty()) why += ": " + last;
    return fail(ErrorCode::invalid, "the command for the items failed: " + why);
  }
  if (std::fseek(file, 0, SEEK_SET) != 0) {
    return fail(ErrorCode::unavailable, "the items of the command cannot be read again");
  }
  return from_lines(ItemLines(std::move(output), name));
}

Result<Documents> open_source(const ItemsSpec& items, const Json& params, const fs::path& project) {
  switch (items.kind) {
    case ItemsSpec::Kind::one:
      return from_list({Json()});
    case ItemsSpec::Kind::list: {
      const Result<Json> list = resolve_value(Json::array(items.list), params_lookup(params));
      if (!list) return std::unexpected(list.error());
      return from_list(elements(*list));
    }
    case ItemsSpec::Kind::glob:
      return from_pattern(items.source, params, project);
    case ItemsSpec::Kind::file:
      return from_file(items.source, params, project);
    case ItemsSpec::Kind::run:
      return from_command(items.argv, params, project);
  }
  return fail(ErrorCode::invalid, "items of an unknown kind");
}

/// The items of one source, page by page.
class Pages {
 public:
  Pages(ItemsSpec items, Json params, fs::path project)
      : items_(std::move(items)), params_(std::move(params)), project_(std::move(project)) {}

  Result<bool> next(std::vector<NewItem>& page) {
    if (!documents_) {
      Result<Documents> opened = open_source(items_, params_, project_);
      if (!opened) return std::unexpected(opened.error());
      documents_ = std::move(*opened);
    }
    for (std::size_t added = 0; added < page_size;) {
      if (items_.limit && given_ >= *items_.limit) return end();
      const Result<bool> read = next_raw();
      if (!read) {
        if (const Status may = go_on_after(read.error()); !may) return std::unexpected(may.error());
        continue;
      }
      if (!*read) return end();
      if (passed_ < items_.offset) {
        ++passed_;
        continue;
      }
      Result<NewItem> item = item_from(raw_);
      ++given_;
      if (!item) {
        if (const Status may = go_on_after(item.error()); !may) return std::unexpected(may.error());
        continue;
      }
      // After a fault no more items are returned; the rest is read only to report its faults.
      if (!faults_.empty()) continue;
      page.push_back(std::move(*item));
      ++added;
    }
    return true;
  }

 private:
  Result<bool> end() const {
    if (faults_.empty()) return false;
    return std::unexpected(all_faults());
  }

  /// A wrong document does not hide the next one, but a source that cannot be read ends the
  /// reading.
  Status go_on_after(const Error& error) {
    if (error.code != ErrorCode::invalid) return std::unexpected(error);
    faults_.push_back(error);
    if (faults_.size() < faults_max) return {};
    return std::unexpected(all_faults());
  }

  [[nodiscard]] Error all_faults() const {
    Error all = faults_.front();
    if (faults_.size() == 1) return all;
    const bool is_cut = faults_.size() == faults_max;
    all.message =
        (is_cut ? "the first " : "") + std::to_string(faults_.size()) + " items cannot be read:";
    for (const Error& one : faults_) all.message += "\n  " + one.message;
    return all;
  }

  /// With a `path`, one document may hold many items.
  Result<bool> next_raw() {
    while (inside_.empty()) {
      const Result<bool> read = documents_(raw_);
      if (!read || !*read || items_.path.empty()) return read;
      const auto found = field(raw_.data, items_.path).json();
      if (!found) {
        return fail(ErrorCode::invalid, raw_.place + " has nothing at \"" + items_.path + "\"");
      }
      inside_ = is_array(*found) ? elements(*found) : std::vector<Json>{*found};
      std::ranges::reverse(inside_);
    }
    raw_.data = std::move(inside_.back());
    inside_.pop_back();
    return true;
  }

  Result<NewItem> item_from(const Raw& raw) const {
    NewItem item{.data = raw.data};
    item.data_sha256 = raw.sha256.empty() ? sha256_hex(canonical(raw.data).text()) : raw.sha256;
    const Lookup lookup = item_lookup(params_, raw.data);
    if (items_.kind == ItemsSpec::Kind::one) {
      item.key = "1";
    } else if (items_.kind == ItemsSpec::Kind::glob && items_.id.empty() && items_.keyed_by_path) {
      item.key = raw.place;
    } else if (items_.id.empty()) {
      item.key = item_key(raw.data);
    } else {
      const auto key = resolve_argument(items_.id, lookup, nullptr, "the id of an item");
      if (!key) return fail(key.error().code, raw.place + ": " + key.error().message);
      if (!*key || (*key)->empty()) {
        return fail(ErrorCode::invalid,
                    raw.place + ": the item has no id: " + items_.id + " is empty");
      }
      item.key = **key;
    }
    if (!items_.category.empty()) {
      const auto category =
          resolve_argument(items_.category, lookup, nullptr, "the category of an item");
      if (!category)
        return fail(category.error().code, raw.place + ": " + category.error().message);
      item.category = category->value_or("");
    }
    return item;
  }

  ItemsSpec items_;
  Json params_;
  fs::path project_;
  Documents documents_;
  Raw raw_;
  std::vector<Json> inside_;  ///< the rest of the document's items, in reverse order
  std::int64_t passed_ = 0;
  std::int64_t given_ = 0;
  std::vector<Error> faults_;
};

}  // namespace

Status actions::check_items_file(const ItemsSpec& items, const Json& params,
                                 const fs::path& project) {
  if (items.kind != ItemsSpec::Kind::file) return {};
  const Result<std::string> name = source_text(items.source, params);
  if (!name) return std::unexpected(name.error());
  std::error_code ignored;
  if (fs::is_regular_file(project / *name, ignored)) return {};
  return fail(ErrorCode::invalid, "the items are not in a file: '" + *name + "'",
              "the workflow file must name an existing file in `items:`");
}

ItemSource read_items(const ItemsSpec& items, const Json& params, const fs::path& project) {
  // Shared, because the source is a function that may be copied; all copies read on from one
  // position.
  auto pages = std::make_shared<Pages>(items, params, project.empty() ? "." : project);
  return [pages](std::vector<NewItem>& page) { return pages->next(page); };
}

}  // namespace pawl
