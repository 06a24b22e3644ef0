#pragma once

/// Transfers a job from one store to another: exported to a file, imported from it, verified.
///
///     std::ofstream file("job.jsonl");
///     Result<Exported> out = export_job(from->records(), JobId{41}, file);
///     std::ifstream back("job.jsonl");
///     Result<Imported> in = import_job(*to, back);   // in->verified.ok()
///
/// The file is JSON Lines: a header, the workflow, the job, then its records, payload files
/// included, and a last line with counts and a SHA-256 over everything before it. Both directions
/// stream: memory is bounded by a page, however large the job.
///
/// The job must hold still: ended, or paused with no attempt open. The source is only read. Whoever
/// goes on with the job in the other store should leave it paused, or cancel it, in the first.
///
/// The digest protects against damage, not against people: whoever can edit the file can make
/// another one. So an imported job is untrusted until an operator accepts it (the act `TrustJob`,
/// `pawl job trust`). An export can be signed; a signature by a trusted key accepts the job.

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"
#include "pawl/store/verify.hpp"

namespace pawl {

/// The format that is written, and the newest that is read. Grows when an older pawl could not read
/// the file. Older exports have format 1, or 2 if they are signed: they name nobody.
inline constexpr std::int64_t export_format = 3;
/// The longest line of an export, in bytes.
inline constexpr std::size_t export_line_max = std::size_t{32} << 20U;

/// How much was moved. Records of adopted items' originals are counted, too.
struct MovedCounts {
  std::int64_t items = 0;
  std::int64_t tasks = 0;  ///< children and job-wide ones included
  std::int64_t attempts = 0;
  std::int64_t reviews = 0;
  std::int64_t events = 0;
  std::int64_t audit_entries = 0;
  std::int64_t payloads = 0;  ///< files; the same one may be counted more than once
  friend bool operator==(const MovedCounts&, const MovedCounts&) = default;
};

struct ExportOptions {
  std::uint32_t page = 500;
  std::string export_id = {};  ///< empty: a random one
  Timestamp at = no_time;      ///< none: the system's now
  /// An Ed25519 private key as PEM text, which signs the export; empty: it is not signed.
  std::string signing_key = {};
};
struct Exported {
  std::string export_id;
  MovedCounts moved;
  std::int64_t payloads_missing = 0;  ///< named by records, and not in the store
  std::string signed_by = {};         ///< the fingerprint of the key; empty: not signed
};

/// "SHA256:" and the digest of an Ed25519 public key (SubjectPublicKeyInfo, DER) in hexadecimal. A
/// private key answers that of its public one. `invalid` for any other text.
[[nodiscard]] Result<std::string> key_fingerprint(std::string_view pem);

/// Writes the job to `out`. `refused` when it does not hold still, with the way out; `conflict`
/// when it changed while it was read; `unavailable` when `out` takes no more. What was written
/// until then is not an export: its last line is missing.
[[nodiscard]] Result<Exported> export_job(Records& records, JobId job, std::ostream& out,
                                          const ExportOptions& options = {});

struct ImportOptions {
  std::uint32_t records_per_chunk = 1'000;
  /// Where a stream that cannot be read twice is kept meanwhile; empty: the system's folder for
  /// temporary files.
  std::filesystem::path temporary_folder = {};
  /// Ed25519 public keys as PEM text. An export that one of them signed is accepted as it arrives.
  std::vector<std::string> trusted_keys = {};
  /// Accepts the job whoever wrote the file, in this name; empty: it arrives untrusted.
  std::string accepted_by = {};
  Actor by = {};  ///< who imports it; without a name: the local user
};
struct Imported {
  Job job;          ///< as it is here
  JobId from;       ///< what it was called there
  JobId originals;  ///< the ended job that holds what its items were adopted from; none: nothing
  std::string export_id;
  MovedCounts moved;
  std::string signed_by;  ///< the fingerprint of the key that signed it; empty: not signed
  bool went_on = false;   ///< an import of the same export had begun before
  bool released = false;  ///< false: the records break a promise, and the job stays as it is
  Verification verified;  ///< of the job, before it was released
};

/// Brings the job in. The file is checked, to its end, before anything is written: `invalid` (not
/// an export, a newer format, a bad line; with the line's number) or `corrupt` (damaged, cut
/// short). What only shows as records meet in the store, such as one that a forged file has twice,
/// is `corrupt`, too, and nothing of the job can run. `conflict` when the job is here already: by
/// its key, or as an earlier import of the same export, which is named.
///
/// A signature that does not fit is `corrupt`; one by a key that is not trusted is reported in
/// `signed_by`, and the job arrives untrusted.
///
/// Nothing of the job can run, or be acted on, before all of it is here and verified. An import
/// that was broken off is gone on with by the next one of the same file, or given up with the act
/// `CancelJob`. Nothing of an untrusted job can run, or be adopted from, either.
[[nodiscard]] Result<Imported> import_job(Store& store, std::istream& in,
                                          const ImportOptions& options = {});

}  // namespace pawl
