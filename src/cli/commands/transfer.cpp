#include "pawl/transfer/transfer.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "cli/commands/commands.hpp"
#include "cli/project/export_keys.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/compat/legacy_import.hpp"
#include "pawl/views/documents.hpp"
#include "transfer/inspection.hpp"
#include "transfer/temporary_file.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

struct ExportJobOptions {
  std::int64_t job = 0;
  std::string file;  ///< empty, or "-": stdout
  std::string sign;  ///< a file with a private key; empty: not signed
};

struct ImportJobOptions {
  std::string file;                       ///< "-": stdin
  std::vector<std::string> trusted_keys;  ///< files with public keys
  std::string as;
};

std::string in_words(const MovedCounts& moved) {
  return counted(moved.items, "item") + ", " + counted(moved.tasks, "task") + ", " +
         counted(moved.attempts, "attempt") + ", " + counted(moved.reviews, "review") + ", " +
         counted(moved.events, "event") + ", " + counted(moved.payloads, "payload file");
}

Json document_of(const MovedCounts& moved) {
  return Json::object({{"items", moved.items},
                       {"tasks", moved.tasks},
                       {"attempts", moved.attempts},
                       {"reviews", moved.reviews},
                       {"events", moved.events},
                       {"payloads", moved.payloads}});
}

Status synced(const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  if (file >= 0) ::close(file);
  return done ? Status()
              : pawl::fail(ErrorCode::unavailable, "cannot sync '" + path.string() + "'");
}

std::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return pawl::fail(ErrorCode::unavailable, "cannot write '" + path.string() +
                                                "': " + std::generic_category().message(error));
}

/// Writes a temporary file beside the target, and renames it when all of it is on disk.
Result<Exported> export_to_file(Records& records, JobId job, const fs::path& path,
                                const ExportOptions& options) {
  const fs::path beside = path.string() + ".tmp-" + std::to_string(::getpid());
  const auto written = [&]() -> Result<Exported> {
    errno = 0;
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    if (!out) return cannot_write(path, errno);
    Result<Exported> done = export_job(records, job, out, options);
    if (!done) return done;
    errno = 0;
    out.close();
    if (!out) return cannot_write(path, errno);
    if (Status safe = synced(beside, 0); !safe) return std::unexpected(safe.error());
    std::error_code error;
    fs::rename(beside, path, error);
    if (error) {
      return pawl::fail(ErrorCode::unavailable,
                        "cannot write '" + path.string() + "': " + error.message());
    }
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (Status safe = synced(folder, O_DIRECTORY); !safe) return std::unexpected(safe.error());
    return done;
  };
  Result<Exported> answer = written();
  std::error_code ignored;
  if (!answer) fs::remove(beside, ignored);
  return answer;
}

Json document_of(const Imported& imported) {
  return Json::object(
      {{"job", imported.job.id.value()},
       {"was", imported.from.value()},
       {"state", name_of(state_of(imported.job))},
       {"originals", imported.originals ? Json(imported.originals.value()) : Json()},
       {"export", imported.export_id},
       {"trust", name_of(imported.job.trust)},
       {"signed_by", imported.signed_by.empty() ? Json() : Json(imported.signed_by)},
       {"went_on", imported.went_on},
       {"released", imported.released},
       {"moved", document_of(imported.moved)},
       {"verification", verification_document(imported.verified)}});
}

/// Copies a pipe to a temporary file, so that it can be read twice.
Status keep(std::istream& in, std::optional<transfer::TemporaryFile>& spool) {
  Result<transfer::TemporaryFile> made = transfer::TemporaryFile::make({});
  if (!made) return std::unexpected(made.error());
  spool.emplace(std::move(*made));
  std::array<char, 64 * 1024> buffer{};
  while (in) {
    in.read(buffer.data(), buffer.size());
    const auto got = static_cast<std::size_t>(in.gcount());
    if (Status written = spool->append({buffer.data(), got}); !written) return written;
  }
  if (in.bad()) return pawl::fail(ErrorCode::unavailable, "cannot read stdin to its end");
  return spool->flush();
}

/// The keys that the options name, and those of the project.
Result<std::vector<std::string>> trusted_keys(Session& session, const ImportJobOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& file : options.trusted_keys) files.push_back(session.directory() / file);
  const Result<fs::path> project = session.project(session.directory());
  if (!project) return std::unexpected(project.error());
  return read_trusted_keys(files, *project / ".pawl" / "trusted_keys");
}

void report(Session& session, const Imported& imported) {
  const std::string number = std::to_string(imported.job.id.value());
  if (imported.went_on) {
    session.say("note: an earlier import of this export was interrupted; this one completed it");
  }
  for (const Violation& violation : imported.verified.violations) {
    session.print(session.style().paint(Paint::red, violation.invariant) + "  " +
                  printable(violation.message) + "\n");
  }
  session.print("job " + number + " (was job " + std::to_string(imported.from.value()) +
                "): " + in_words(imported.moved) + "\n");
  if (imported.originals) {
    session.say("job " + std::to_string(imported.originals.value()) +
                " holds the originals of its adopted items");
  }
  if (!imported.released) {
    session.print(
        session.style().paint(Paint::red, counted(imported.verified.violation_count, "violation")) +
        ": job " + number + " was imported, but cannot be used\n");
    session.say("check the store it came from: pawl verify");
    return;
  }
  session.print(session.style().paint(Paint::green, "verified") + ": the job is " +
                std::string(name_of(state_of(imported.job))) + ", as before the export\n");
  if (!is_trusted(imported.job.trust)) {
    if (!imported.signed_by.empty()) {
      session.say("signed by the key " + imported.signed_by + ", which is not trusted");
    }
    session.say("the job is not trusted: it does not run, and no items are adopted from it");
    session.say("to see what it would run, and to accept it: pawl job trust " + number);
    return;
  }
  session.say("trusted: signed by the " + printable(imported.job.trusted_by));
  if (state_of(imported.job) == JobState::paused) {
    session.say("to continue it here: pawl job resume " + number);
  }
}

int export_one(Session& session, const ExportJobOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const JobId job{options.job};
  ExportOptions how;
  if (!options.sign.empty()) {
    Result<std::string> key = read_signing_key(session.directory() / options.sign);
    if (!key) return session.fail(key.error());
    how.signing_key = *std::move(key);
  }
  const bool to_stdout = options.file.empty() || options.file == "-";
  const Result<Exported> done =
      to_stdout ? export_job(records, job, *session.streams().out, how)
                : export_to_file(records, job, session.directory() / options.file, how);
  if (!done) return session.fail(done.error());
  if (done->payloads_missing > 0) {
    session.say("note: " + counted(done->payloads_missing, "payload file") +
                " named in its records are missing from the store");
  }
  session.say("job " + std::to_string(options.job) + ": " + in_words(done->moved));
  if (!done->signed_by.empty()) session.say("signed by the key " + done->signed_by);
  if (to_stdout) return exit_done;
  return session.present({.document = [&] {
    return Json::object({{"job", options.job},
                         {"file", options.file},
                         {"export", done->export_id},
                         {"moved", document_of(done->moved)},
                         {"payloads_missing", done->payloads_missing},
                         {"signed_by", done->signed_by.empty() ? Json() : Json(done->signed_by)}});
  }});
}

/// The error of an import. State of an older runner is not an export; the error says how to import
/// it.
Error import_error(Error error, const fs::path& path) {
  const bool may_be_other = error.code == ErrorCode::corrupt || error.code == ErrorCode::invalid;
  if (!may_be_other) return error;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!looks_like_checkpoint(text)) return error;
  return {ErrorCode::invalid,
          "not an export of pawl: '" + printable(path.filename().string()) +
              "' holds the state of an older MapReduce runner",
          "import it with: pawl import checkpoint PATH --workflow FILE [--dead-letters FILE]"};
}

int import_one(Session& session, const ImportJobOptions& options) {
  if (options.file.empty()) {
    return session.fail_usage("FILE is required", "see: pawl import --help");
  }
  const bool from_stdin = options.file == "-";
  const fs::path path = session.directory() / options.file;
  std::ifstream file;
  std::error_code ignored;
  if (!from_stdin && !fs::is_directory(path, ignored)) file.open(path, std::ios::binary);
  if (!from_stdin && !file.is_open()) {
    return session.fail({ErrorCode::not_found, "cannot read file '" + options.file + "'", {}});
  }
  Result<std::vector<std::string>> keys = trusted_keys(session, options);
  if (!keys) return session.fail(keys.error());
  // Check the file first, so that no store is created for a file that cannot be imported.
  std::optional<transfer::TemporaryFile> spool;
  if (const auto there = session.store(); !there && there.error().code == ErrorCode::not_found) {
    if (from_stdin) {
      const Status kept = keep(*session.streams().in, spool);
      if (!kept) return session.fail(kept.error());
      file.open(spool->path(), std::ios::binary);
    }
    const fs::path read_path = from_stdin ? fs::path(spool->path()) : path;
    const Result<transfer::Contents> contents = transfer::inspect(file);
    if (!contents) return session.fail(import_error(contents.error(), read_path));
    file.clear();
    file.seekg(0);
  }
  const Result<std::shared_ptr<Store>> store = session.store_or_create(session.directory());
  if (!store) return session.fail(store.error());
  std::istream& in = file.is_open() ? static_cast<std::istream&>(file) : *session.streams().in;
  const Result<Imported> done =
      import_job(**store, in, {.trusted_keys = *std::move(keys), .by = Session::actor(options.as)});
  if (!done) return session.fail(from_stdin ? done.error() : import_error(done.error(), path));
  if (session.output() == OutputMode::text) {
    report(session, *done);
  } else {
    session.present({.document = [&] { return document_of(*done); },
                     .id = [&] { return std::to_string(done->job.id.value()); }});
  }
  return done->released ? exit_done : exit_failed;
}

}  // namespace

CommandEntry export_command() {
  return command(
      "export", "pawl export 41 -o job.jsonl",
      "Write a job with all its records to a file, to continue it in another store.", &export_one,
      [](ExportJobOptions& it) -> Words {
        return {
            argument(&it.job, "JOB", "The job: ended, or paused with no attempt open"),
            option("--output,-o", &it.file, "FILE", "The file to write; default: stdout"),
            option("--sign", &it.sign, "KEY", "Sign with this Ed25519 private key (a PEM file)"),
        };
      });
}

CommandEntry import_command() {
  return command(
      "import", "pawl import job.jsonl --store other.db",
      "Import an exported job into this store, and verify it.", &import_one,
      [](ImportJobOptions& it) -> Words {
        return {
            optional_argument(&it.file, "FILE|-", "A file written by `pawl export`; - reads stdin"),
            option("--trusted-key", &it.trusted_keys, "KEY",
                   "Trust exports signed by this Ed25519 public key (a PEM file); may be repeated"),
            person_option(it.as),
        };
      });
}

}  // namespace pawl::cli
