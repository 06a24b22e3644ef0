#pragma once

/// Opens the files of a review with the person's own programs.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "views/reviews.hpp"

namespace pawl::cli {

struct ReviewFile {
  std::string name;
  std::string sha256;
};

/// The files in the output, in the input and among the artifacts, each content once.
[[nodiscard]] std::vector<ReviewFile> files_of(const views::ShownReview& shown);

/// Opens files under their own names, so that programs recognise their types. The copies are
/// removed with this object.
class FileOpener {
 public:
  FileOpener(Session& session, Records& records) : session_(session), records_(records) {}
  FileOpener(const FileOpener&) = delete;
  FileOpener& operator=(const FileOpener&) = delete;
  ~FileOpener();

  /// Opens one of the files with $PAWL_OPENER, else with xdg-open; asks which one if there are
  /// several. Prints the path if there is no such program, or if it fails.
  void open_one_of(const std::vector<ReviewFile>& files);

 private:
  void open(const ReviewFile& file);
  /// A copy with the name of the file, so that a program that saves cannot change the stored one.
  /// None if it cannot be made.
  std::optional<std::filesystem::path> named_copy(const ReviewFile& file,
                                                  const std::filesystem::path& stored);

  Session& session_;
  Records& records_;
  std::filesystem::path directory_;  ///< of the copies; empty: none was made
  int copies_ = 0;
};

}  // namespace pawl::cli
