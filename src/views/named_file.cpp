#include "views/named_file.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"
#include "views/attempts.hpp"

namespace pawl::views {
namespace {

constexpr std::string_view digest_prefix = "sha256:";
constexpr std::uint32_t page_size = 200;

/// The name of a log; empty for other artifacts.
std::string_view log_name(ArtifactKind kind) {
  if (kind == ArtifactKind::standard_output) return "stdout.txt";
  return kind == ArtifactKind::standard_error ? "stderr.txt" : "";
}

class Search {
 public:
  Search(Records& records, const std::string& sha256) : records_(records), sha256_(sha256) {}

  [[nodiscard]] const std::optional<NamedFile>& found() const { return found_; }

  void look_at(const Json& value) {
    if (found_ || !value.text().contains(sha256_)) return;
    if (const std::optional<codec::FileValue> file = codec::file_of(value)) {
      if (file->sha256 == sha256_) found_ = NamedFile{.sha256 = sha256_, .name = file->name};
    } else if (is_array(value)) {
      for (const Json& one : elements(value)) look_at(one);
    } else if (is_object(value)) {
      for (const auto& [key, one] : members(value)) look_at(one);
    }
  }

  void look_at(const TaskAttempts& one) {
    for (const Attempt& attempt : one.attempts) {
      const std::string name = one.name() + "-" + std::to_string(attempt.number);
      look_at_output(attempt.output, name);
      for (const Json& alternative : attempt.alternatives) look_at(alternative);
      for (const ArtifactRecord& artifact : attempt.artifacts) look_at(artifact, name);
    }
    if (one.task.child) look_at(one.task.child->data);
  }

  /// The edits that were given to the reviews of a task.
  Status look_at_reviews_of(TaskId task) {
    const ReviewFilter filter{.task = task, .limit = page_size};
    return each_row(records_, filter, [&](const Review& review) -> Status {
      if (review.answer && review.answer->edits) look_at(*review.answer->edits);
      const Result<std::vector<GivenAnswer>> answers = records_.answers(review.id);
      if (!answers) return std::unexpected(answers.error());
      for (const GivenAnswer& given : *answers) {
        if (given.answer.edits) look_at(*given.answer.edits);
      }
      return {};
    });
  }

  /// Looks into the outputs that are files themselves. They are read only if nothing else names the
  /// file.
  Status look_into_outputs() {
    for (const std::string& output : outputs_) {
      if (found_) return {};
      const Result<std::string> text = records_.payload(output);
      if (text) look_at(Json::trusted(*text));
      // One that is lost or damaged names nothing.
      const bool is_away = !text && text.error().code == ErrorCode::unavailable;
      if (is_away) return std::unexpected(text.error());
    }
    return {};
  }

 private:
  void look_at_output(const Json& output, const std::string& name) {
    if (found_ || !is_payload_reference(output)) return look_at(output);
    const std::string digest =
        field(output, "$ref").string().value_or("").substr(digest_prefix.size());
    if (digest == sha256_) found_ = NamedFile{.sha256 = sha256_, .name = name + ".json"};
    outputs_.insert(digest);
  }

  void look_at(const ArtifactRecord& artifact, const std::string& name) {
    const bool is_it =
        artifact.sha256 == sha256_ || artifact.reference == std::string(digest_prefix) + sha256_;
    if (found_ || !is_it) return;
    const std::string_view log = log_name(artifact.kind);
    found_ = NamedFile{.sha256 = sha256_,
                       .name = log.empty() ? artifact.name : name + "-" + std::string(log)};
  }

  Records& records_;
  const std::string& sha256_;
  std::optional<NamedFile> found_;
  std::set<std::string> outputs_;  ///< the digests of outputs that are files
};

}  // namespace

Result<std::optional<NamedFile>> named_file(Records& records, const Address& address,
                                            const std::string& sha256) {
  Search search(records, sha256);
  if (address.item) search.look_at(address.item->data);
  const Status read =
      each_attempts_at(records, address, {}, [&](const TaskAttempts& one) -> Result<bool> {
        search.look_at(one);
        if (search.found()) return false;
        const Status looked = search.look_at_reviews_of(one.task.id);
        if (!looked) return std::unexpected(looked.error());
        return !search.found();
      });
  if (!read) return std::unexpected(read.error());
  if (const Status looked = search.look_into_outputs(); !looked) {
    return std::unexpected(looked.error());
  }
  return search.found();
}

}  // namespace pawl::views
