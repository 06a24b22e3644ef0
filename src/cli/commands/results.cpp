#include "views/results.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/file_outputs.hpp"
#include "cli/session.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "views/csv.hpp"
#include "views/result_table.hpp"

namespace pawl::cli {

using codec::file_of;
using codec::FileValue;
using views::each_result;
using views::result_document;
using views::ResultTable;
using views::ShownResult;
namespace fs = std::filesystem;

namespace {

struct ResultsOptions {
  std::optional<std::int64_t> job;
  std::string stage;
  std::string to;  ///< a directory
  bool csv = false;
};

/// The directory for the outputs of job-wide stages.
constexpr auto job_directory = "_job";

/// A directory name that is unique to this text and never equals `job_directory`.
std::string directory_name(const std::string& text) {
  const std::string safe = safe_file_name(text);
  const bool is_itself = safe == text && !safe.starts_with('_');
  return is_itself ? safe : safe + "-" + sha256_hex(text).substr(0, 8);
}

std::unexpected<Error> cannot(const std::string& what, const fs::path& path,
                              const std::error_code& why) {
  return pawl::fail(ErrorCode::unavailable,
                    "cannot " + what + " " + path.string() + ": " + why.message());
}

/// A directory below `parent`, created if it is missing. A symbolic link is refused, because it
/// could lead elsewhere.
Result<fs::path> directory_below(const fs::path& parent, const std::string& name) {
  fs::path path = parent / name;
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return cannot("create directory", path, failed);
  if (fs::symlink_status(path, failed).type() != fs::file_type::directory) {
    return pawl::fail(ErrorCode::refused, "not a directory: " + path.string(),
                      "pass an empty directory with --to");
  }
  return path;
}

/// Removes an existing file first, so that nothing is written through a link.
Status make_room(const fs::path& path) {
  std::error_code failed;
  fs::remove(path, failed);
  if (failed) return cannot("replace", path, failed);
  return {};
}

Status copy_payload(Records& records, const FileValue& file, const fs::path& to) {
  if (const Status room = make_room(to); !room) return room;
  std::ofstream out;
  Sha256 digest;
  const Status copied = records.payload_pieces(file.sha256, [&](std::string_view piece) -> Status {
    if (!out.is_open()) out.open(to, std::ios::binary);
    digest.update(piece);
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (out) return {};
    return pawl::fail(ErrorCode::unavailable, "cannot write " + to.string());
  });
  if (copied && !out.is_open()) out.open(to, std::ios::binary);  // an empty file has no pieces
  out.close();
  Status whole = copied;
  if (copied && !out) {
    whole = pawl::fail(ErrorCode::unavailable, "cannot write " + to.string());
  } else if (copied && digest.finish_hex() != file.sha256) {
    whole = pawl::fail(ErrorCode::corrupt,
                       "the payload " + file.sha256 + " (" + file.name + ") has changed",
                       "restore it from a backup, or rerun the stage that produced it "
                       "(`pawl item retry ITEM/STAGE`)");
  }
  std::error_code ignored;
  if (!whole) fs::remove(to, ignored);
  return whole;
}

Status write_text(const fs::path& path, const std::string& text) {
  if (const Status room = make_room(path); !room) return room;
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) return pawl::fail(ErrorCode::unavailable, "cannot write " + path.string());
  return {};
}

/// Whether an artifact is something that the stage handed in. Logs have a command of their own.
bool is_handed_in(const ArtifactRecord& artifact) {
  return artifact.kind == ArtifactKind::file || artifact.kind == ArtifactKind::url ||
         artifact.kind == ArtifactKind::json;
}

/// Writes outputs to DIR/<item>/<stage>/output.json, with each file beside it, and artifacts to
/// artifacts.json and artifacts/. Names come from
/// outside and are made safe, so that nothing is ever written elsewhere.
class Exporter {
 public:
  Exporter(Records& records, fs::path directory)
      : records_(records), directory_(std::move(directory)) {}

  Status write(const std::optional<std::string>& item, const std::string& stage, const Json& output,
               std::vector<ArtifactRecord> artifacts) {
    std::erase_if(artifacts, [](const ArtifactRecord& one) { return !is_handed_in(one); });
    if (output.is_null() && artifacts.empty()) return {};
    const Result<fs::path> of_item =
        directory_below(directory_, item ? directory_name(*item) : job_directory);
    if (!of_item) return std::unexpected(of_item.error());
    const Result<fs::path> of_stage = directory_below(*of_item, directory_name(stage));
    if (!of_stage) return std::unexpected(of_stage.error());
    if (const Status wrote = write_artifacts(*of_stage, artifacts); !wrote) return wrote;
    if (output.is_null()) return {};
    std::set<std::string> used{"output.json", "artifacts.json", "artifacts"};
    const Result<Json> told = copy_files(output, *of_stage, used);
    if (!told) return std::unexpected(told.error());
    if (const Status wrote = write_text(*of_stage / "output.json", pretty(*told) + "\n"); !wrote) {
      return wrote;
    }
    ++outputs;
    return {};
  }

  std::int64_t outputs = 0;
  std::int64_t files = 0;

 private:
  /// The list in artifacts.json, and the files that the store keeps in artifacts/.
  Status write_artifacts(const fs::path& of_stage, const std::vector<ArtifactRecord>& artifacts) {
    if (artifacts.empty()) return {};
    std::vector<Json> list;
    std::set<std::string> used;
    for (const ArtifactRecord& artifact : artifacts) {
      Json path;
      if (artifact.kind == ArtifactKind::file && !artifact.sha256.empty()) {
        const Result<fs::path> directory = directory_below(of_stage, "artifacts");
        if (!directory) return std::unexpected(directory.error());
        const fs::path to = *directory / unused_name(artifact.name, used);
        const Status copied = copy_payload(
            records_, {.sha256 = artifact.sha256, .name = artifact.name, .size = artifact.size},
            to);
        if (!copied) return copied;
        ++files;
        path = Json(to.string());
      }
      list.push_back(
          Json::object({{"kind", name_of(artifact.kind)},
                        {"name", artifact.name},
                        {"reference", artifact.reference},
                        {"sha256", artifact.sha256.empty() ? Json() : Json(artifact.sha256)},
                        {"size", artifact.size},
                        {"summary", artifact.summary},
                        {"path", path}}));
    }
    return write_text(of_stage / "artifacts.json", pretty(Json::array(list)) + "\n");
  }

  static std::string unused_name(const std::string& name, std::set<std::string>& used) {
    std::string safe = safe_file_name(name);
    for (int number = 2; !used.insert(safe).second; ++number) {
      safe = std::to_string(number) + "-" + safe_file_name(name);
    }
    return safe;
  }

  /// The output with the "path" of each copied file.
  Result<Json> copy_files(const Json& value, const fs::path& to, std::set<std::string>& used) {
    if (!value.text().contains("\"$file\"")) return value;
    if (const std::optional<FileValue> file = file_of(value)) {
      const std::string name = unused_name(file->name, used);
      if (const Status copied = copy_payload(records_, *file, to / name); !copied) {
        return std::unexpected(copied.error());
      }
      ++files;
      return with_member(value, "path", (to / name).string());
    }
    if (is_array(value)) {
      std::vector<Json> all = elements(value);
      for (Json& one : all) {
        Result<Json> copied = copy_files(one, to, used);
        if (!copied) return copied;
        one = std::move(*copied);
      }
      return Json::array(all);
    }
    std::vector<std::pair<std::string, Json>> all = members(value);
    for (auto& [key, one] : all) {
      Result<Json> copied = copy_files(one, to, used);
      if (!copied) return copied;
      one = std::move(*copied);
    }
    return is_object(value) ? Json::object(all) : value;
  }

  Records& records_;
  fs::path directory_;
};

/// One line for the item, or one line for each job-wide stage.
std::string ids_of(const Job& job, const Workflow& workflow, const ShownResult& one) {
  if (one.item) return address_of(job.id, workflow, *one.item);
  std::string lines;
  for (const auto& [stage, output] : one.outputs) {
    lines += (lines.empty() ? "" : "\n") + address_of(job.id, {}, stage);
  }
  return lines;
}

std::string result_text(Records& records, const ShownResult& one, const Style& style) {
  std::string out = style.paint(Paint::bold, one.item ? id_part(*one.item) : "(the whole job)") +
                    "  " + std::string(one.state) + "\n";
  for (const auto& [stage, output] : one.outputs) {
    if (output.is_null()) continue;
    out += "  " + printable(stage) + "\n";
    for (const std::string& line : readable_lines(records, output)) {
      out += "    " + printable(line) + "\n";
    }
  }
  return out;
}

int results(Session& session, const ResultsOptions& options) {
  if (options.csv && session.output() != OutputMode::text) return fail_csv(session);
  if (options.csv && !options.to.empty()) {
    return session.fail_usage("--csv cannot be combined with --to", "omit one of them");
  }
  const Result<PinnedJob> pinned = pinned_job(session, options.job);
  if (!pinned) return session.fail(pinned.error());
  const auto& [store, job, workflow] = *pinned;
  Records& records = store->records();
  std::optional<StageIndex> only;
  if (!options.stage.empty()) {
    const Result<StageIndex> stage = workflow.require_stage(options.stage);
    if (!stage) return session.fail(stage.error());
    only = *stage;
  }

  std::optional<Exporter> exporter;
  if (!options.to.empty()) {
    std::error_code failed;
    fs::create_directories(options.to, failed);
    if (failed) {
      return session.fail(cannot("create directory", options.to, failed).error());
    }
    exporter.emplace(records, fs::path(options.to));
  }
  std::optional<ResultTable> table;
  if (options.csv) {
    table.emplace(workflow, only);
    session.print(views::csv_line(table->headings()));
  }
  // Results can be large, so even one document is printed piece by piece.
  const bool is_one_document = session.output() == OutputMode::json && !exporter;
  bool is_first = true;
  if (is_one_document) {
    session.print("{\"job\":" + std::to_string(job.id.value()) + ",\"results\":[");
  }
  const Status done =
      each_result(records, job, workflow, only, [&](const ShownResult& one) -> Status {
        if (exporter) {
          for (const auto& [stage, output] : one.outputs) {
            const auto artifacts = one.artifacts.find(stage);
            const Status wrote =
                exporter->write(one.item, stage, output,
                                artifacts == one.artifacts.end() ? std::vector<ArtifactRecord>()
                                                                 : artifacts->second);
            if (!wrote) return wrote;
          }
        } else if (table) {
          session.print(views::csv_line(table->cells(records, one)));
        } else if (is_one_document) {
          if (!std::exchange(is_first, false)) session.print(",");
          session.print(printable_lines(result_document(records, job, workflow, one).text()));
        } else {
          session.present({.document = [&] { return result_document(records, job, workflow, one); },
                           .text = [&] { return result_text(records, one, session.style()); },
                           .id = [&] { return ids_of(job, workflow, one); }});
        }
        return {};
      });
  if (is_one_document) session.print("]}\n");
  if (!done) return session.fail(done.error());
  if (exporter) {
    session.present({.document = [&] {
      return Json::object({{"job", job.id.value()},
                           {"outputs", exporter->outputs},
                           {"files", exporter->files},
                           {"to", options.to}});
    }});
    session.say(counted(exporter->outputs, "output") + " and " + counted(exporter->files, "file") +
                " written to " + printable(options.to));
  }
  return exit_done;
}

}  // namespace

CommandEntry results_command() {
  return command(
      "results", "pawl results 41 --to out/",
      "Print the outputs of a job, or copy them to a directory.", &results,
      [](ResultsOptions& it) -> Words {
        return {
            optional_argument(&it.job, "JOB", "The job; default: the newest"),
            option("--stage", &it.stage, "STAGE", "Only outputs of this stage"), csv_flag(it.csv),
            option("--to", &it.to, "DIR", "Copy outputs, files and artifacts into this directory")};
      });
}

}  // namespace pawl::cli
