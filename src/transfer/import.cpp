/// A file becomes a job: looked through, brought in piece by piece, verified, released.

#include <algorithm>
#include <array>
#include <fstream>
#include <istream>
#include <utility>

#include "pawl/store/arrival.hpp"
#include "pawl/transfer/transfer.hpp"
#include "transfer/export_reader.hpp"
#include "transfer/inspection.hpp"
#include "transfer/temporary_file.hpp"

namespace pawl {

namespace transfer {
namespace {

/// A piece is also brought in when its records were so many bytes, so that large outputs do not
/// make large transactions.
constexpr std::int64_t bytes_per_chunk = std::int64_t{4} << 20U;

class Import {
 public:
  Import(Store& store, const Contents& contents, const ImportOptions& options)
      : store_(store), contents_(contents), options_(options) {}

  Result<Imported> run(std::istream& in) {
    if (Status known = find_who_accepts(); !known) return std::unexpected(known.error());
    if (Status found = find_or_begin(); !found) return std::unexpected(found.error());
    if (Status brought = bring_in(in); !brought) return std::unexpected(brought.error());
    if (Status verified = verify_it(); !verified) return std::unexpected(verified.error());
    if (imported_.verified.ok()) {
      const Result<Arriving> ended =
          store_.receiver().receive(EndArrival{.job = at_.job,
                                               .as_it_was = contents_.job,
                                               .accepted_by = accepted_by_,
                                               .is_accepted_by_key = options_.accepted_by.empty(),
                                               .by = options_.by});
      if (!ended) return std::unexpected(ended.error());
      imported_.released = true;
    }
    const Result<Job> job = store_.records().job(at_.job);
    if (!job) return std::unexpected(job.error());
    imported_.job = *job;
    imported_.from = contents_.job.id;
    imported_.originals = at_.originals;
    imported_.export_id = contents_.header.export_id;
    imported_.moved = contents_.moved;
    imported_.signed_by = contents_.signed_by;
    return std::move(imported_);
  }

 private:
  /// The caller, or a trusted key that signed the file; otherwise nobody does.
  Status find_who_accepts() {
    const Result<bool> by_key = codec::is_by_one_of(
        options_.trusted_keys, contents_.signature.value_or(codec::Signature{}));
    if (!by_key) return std::unexpected(by_key.error());
    if (*by_key) accepted_by_ = "key " + contents_.signed_by;
    if (!options_.accepted_by.empty()) accepted_by_ = options_.accepted_by;
    return {};
  }

  /// The part that is here already must be of the same file: its id alone can be forged.
  Status go_on_with(const Arriving& arriving) {
    if (!arriving.sha256.empty() && arriving.sha256 != contents_.sha256) {
      const std::string number = std::to_string(arriving.job.value());
      return fail(ErrorCode::conflict,
                  "an import of this export was begun with another file: it is job " + number,
                  "finish it with that file, or give it up: `pawl job cancel " + number + "`");
    }
    // What is here already may have come from another file that had this one's name at the time:
    // only a person accepts it.
    if (options_.accepted_by.empty()) accepted_by_.clear();
    at_ = arriving;
    imported_.went_on = true;
    return {};
  }

  /// An import of this export that was broken off is gone on with.
  Status find_or_begin() {
    const std::string& wanted = contents_.header.export_id;
    JobFilter filter{.workflow_name = contents_.workflow.name(), .limit = 500};
    for (;;) {
      const Result<std::vector<Job>> page = store_.records().jobs(filter);
      if (!page) return std::unexpected(page.error());
      for (const Job& job : *page) {
        const std::optional<Moved> moved = move_of(job);
        if (!moved || moved->export_id != wanted) continue;
        const std::optional<Arriving> arriving = arrival_of(job);
        if (!arriving) {
          return fail(ErrorCode::conflict, "this export was imported already: it is job " +
                                               std::to_string(job.id.value()));
        }
        return go_on_with(*arriving);
      }
      if (page->size() < filter.limit) break;
      filter.before = page->back().id;
    }
    const Result<Arriving> begun =
        store_.receiver().receive(BeginArrival{.export_id = wanted,
                                               .workflow = contents_.workflow,
                                               .job = contents_.job,
                                               .originals = contents_.originals,
                                               .first_ordinal = contents_.first_ordinal,
                                               .last_ordinal = contents_.last_ordinal,
                                               .sha256 = contents_.sha256,
                                               .by = options_.by});
    if (!begun) return std::unexpected(begun.error());
    at_ = *begun;
    return {};
  }

  Status bring_in(std::istream& in) {
    ExportReader reader(in);
    if (Status skipped = reader.skip_to(at_.lines); !skipped) return skipped;
    for (;;) {
      Result<std::optional<Line>> line = reader.next();
      if (!line) return std::unexpected(line.error());
      if (!*line) {
        if (reader.sha256() != contents_.sha256) {
          return fail(ErrorCode::corrupt, "the file has changed while it was imported",
                      "give up this import with `pawl job cancel " +
                          std::to_string(at_.job.value()) + "`, and import it again");
        }
        return flush();
      }
      if (auto* piece = std::get_if<PayloadPiece>(&**line)) {
        if (Status kept = keep(*piece); !kept) return kept;
        continue;
      }
      add(std::move(**line));
      last_line_ = reader.number();
      bytes_ += reader.bytes();
      if (records_.size() < options_.records_per_chunk && bytes_ < bytes_per_chunk) continue;
      if (Status flushed = flush(); !flushed) return flushed;
    }
  }

  void add(Line line) {
    if (auto* task = std::get_if<ArrivingTask>(&line)) {
      records_.emplace_back(std::move(*task));
    } else if (auto* attempt = std::get_if<MovedAttempt>(&line)) {
      records_.emplace_back(std::move(attempt->attempt));
    } else if (auto* review = std::get_if<ArrivingReview>(&line)) {
      records_.emplace_back(std::move(*review));
    } else if (auto* item = std::get_if<ArrivingItem>(&line)) {
      records_.emplace_back(std::move(*item));
    } else if (auto* events = std::get_if<ArrivingEvents>(&line)) {
      records_.emplace_back(std::move(*events));
    } else if (auto* audit = std::get_if<ArrivingAudit>(&line)) {
      records_.emplace_back(std::move(*audit));
    } else if (std::holds_alternative<DueFollows>(line)) {
      records_.emplace_back(ArrivedWhole{contents_.job});
    }
  }

  Status flush() {
    if (records_.empty()) return {};
    const Result<Arriving> added = store_.receiver().receive(AddArrival{
        .job = at_.job, .from_line = at_.lines, .to_line = last_line_, .records = records_});
    if (!added) return std::unexpected(added.error());
    at_ = *added;
    records_.clear();
    bytes_ = 0;
    return {};
  }

  /// A payload is in the store before the records that name it.
  Status keep(const PayloadPiece& piece) {
    const auto expect = [&](const std::string& sha256) -> Status {
      if (sha256 == piece.sha256) return {};
      return fail(ErrorCode::corrupt, "the payload " + piece.sha256 + " is damaged");
    };
    const auto length = static_cast<std::int64_t>(piece.bytes.size());
    if (length == piece.size) {
      const Result<std::string> kept = store_.keep_payload(piece.bytes);
      return kept ? expect(*kept) : std::unexpected(kept.error());
    }
    if (!payload_) {
      Result<TemporaryFile> made = TemporaryFile::make(options_.temporary_folder);
      if (!made) return std::unexpected(made.error());
      payload_.emplace(*std::move(made));
    }
    if (Status appended = payload_->append(piece.bytes); !appended) return appended;
    if (piece.offset + length < piece.size) return {};
    if (Status flushed = payload_->flush(); !flushed) return flushed;
    const Result<KeptFile> kept = store_.keep_file(payload_->path());
    payload_.reset();
    return kept ? expect(kept->sha256) : std::unexpected(kept.error());
  }

  Status verify_it() {
    for (const JobId job : {at_.originals, at_.job}) {
      if (!job) continue;
      // Its payloads were read on their way in, and one that was missing already is still moved.
      const VerifyOptions how{.payloads = VerifyOptions::Payloads::ignored, .job = job};
      Result<Verification> checked = verify(store_.records(), how);
      if (!checked) return std::unexpected(checked.error());
      Verification& all = imported_.verified;
      all.jobs += checked->jobs;
      all.items += checked->items;
      all.tasks += checked->tasks;
      all.attempts += checked->attempts;
      all.reviews += checked->reviews;
      all.events += checked->events;
      all.jobs_without_log += checked->jobs_without_log;
      all.decisions_not_checked += checked->decisions_not_checked;
      all.violation_count += checked->violation_count;
      all.in_motion.insert(all.in_motion.end(), checked->in_motion.begin(),
                           checked->in_motion.end());
      std::ranges::move(checked->violations, std::back_inserter(all.violations));
    }
    return {};
  }

  Store& store_;
  const Contents& contents_;
  const ImportOptions& options_;
  Imported imported_;
  std::string accepted_by_;
  Arriving at_;
  std::vector<ArrivingRecord> records_;
  std::int64_t last_line_ = 0;
  std::int64_t bytes_ = 0;
  std::optional<TemporaryFile> payload_;
};

Status copy(std::istream& in, TemporaryFile& file) {
  std::array<char, 64 * 1024> buffer{};
  while (in) {
    in.read(buffer.data(), buffer.size());
    const auto got = static_cast<std::size_t>(in.gcount());
    if (Status written = file.append({buffer.data(), got}); !written) return written;
  }
  if (in.bad()) return fail(ErrorCode::unavailable, "the export cannot be read to its end");
  return file.flush();
}

Result<Imported> import_from(Store& store, std::istream& in, std::istream::pos_type start,
                             const ImportOptions& options) {
  const Result<Contents> contents = inspect(in);
  if (!contents) return std::unexpected(contents.error());
  in.clear();
  in.seekg(start);
  return Import(store, *contents, options).run(in);
}

}  // namespace
}  // namespace transfer

Result<Imported> import_job(Store& store, std::istream& in, const ImportOptions& options) {
  if (!in) return fail(ErrorCode::invalid, "the export cannot be read");
  // It is read twice. What cannot be turned back, a pipe, is kept in a file meanwhile.
  const std::istream::pos_type start = in.tellg();
  if (start != std::istream::pos_type(-1)) {
    return transfer::import_from(store, in, start, options);
  }
  in.clear();
  Result<transfer::TemporaryFile> spool = transfer::TemporaryFile::make(options.temporary_folder);
  if (!spool) return std::unexpected(spool.error());
  if (Status copied = transfer::copy(in, *spool); !copied) return std::unexpected(copied.error());
  std::ifstream again(spool->path(), std::ios::binary);
  return transfer::import_from(store, again, 0, options);
}

}  // namespace pawl
