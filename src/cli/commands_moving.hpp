#pragma once

/// The commands that move a job from one store to another.

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::cli {

class Session;

struct ExportJobOptions {
  std::int64_t job = 0;
  std::string file;  ///< empty, or "-": stdout
  std::string sign;  ///< a file with a private key; empty: not signed
};
int export_one(Session& session, const ExportJobOptions& options);

struct ImportJobOptions {
  std::string file;                       ///< "-": stdin
  std::vector<std::string> trusted_keys;  ///< files with public keys
};
int import_one(Session& session, const ImportJobOptions& options);

struct JobTrustOptions {
  std::int64_t job = 0;
  std::string as;  ///< the person who accepts it; empty: the user
};
int job_trust(Session& session, const JobTrustOptions& options);

}  // namespace pawl::cli
