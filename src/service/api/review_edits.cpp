/// Edits before they are sent: whether they fit, what the gates say about them, and the files in
/// them.

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/judgements.hpp"
#include "actions/recorded_input.hpp"
#include "actions/review_input.hpp"
#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/edits.hpp"
#include "pawl/store/people.hpp"
#include "pawl/store/results.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/review_handlers.hpp"
#include "service/work/uploaded_files.hpp"
#include "views/outputs.hpp"

namespace pawl::service {

using codec::FileValue;
using views::ShownReview;

namespace {

using File = std::pair<std::string, std::int64_t>;  ///< the digest and the size

/// Calls `see` with each object that names a file, at any depth, whatever its form.
void each_file(const Json& value, const std::function<void(const Json&)>& see) {
  if (!value.text().contains("\"$file\"")) return;
  if (is_array(value)) {
    for (const Json& element : elements(value)) each_file(element, see);
    return;
  }
  if (!is_object(value)) return;
  if (JsonView(value)["$file"].exists()) see(value);
  for (const auto& [name, member] : members(value)) each_file(member, see);
}

void add_files(const Json& value, std::set<File>& files) {
  each_file(value, [&](const Json& object) {
    if (const auto file = codec::file_of(object)) files.emplace(file->sha256, file->size);
  });
}

/// The files that the record of a review names: those of its attempts and of the answers to it.
Result<std::set<File>> files_on_record(Records& records, const Review& review) {
  std::set<File> files;
  const Result<std::vector<Attempt>> attempts = records.attempts(review.task);
  if (!attempts) return std::unexpected(attempts.error());
  for (const Attempt& attempt : *attempts) {
    const Result<Json> output = whole_output(records, attempt.output);
    if (!output) return std::unexpected(output.error());
    add_files(*output, files);
  }
  const Result<std::vector<GivenAnswer>> answers = records.answers(review.id);
  if (!answers) return std::unexpected(answers.error());
  for (const GivenAnswer& given : *answers) {
    if (given.answer.edits) add_files(*given.answer.edits, files);
  }
  return files;
}

/// What a gate checked: of a composed gate, what all of its parts checked.
void add_criteria(const Assessment& assessment, std::vector<Criterion>& criteria) {
  for (const Assessment& part : assessment.parts) add_criteria(part, criteria);
  if (!assessment.parts.empty()) return;
  criteria.insert(criteria.end(), assessment.criteria.begin(), assessment.criteria.end());
}

std::vector<Criterion> criteria_in(const actions::GateCheck& check) {
  std::vector<Criterion> criteria;
  if (check.assessment) add_criteria(*check.assessment, criteria);
  return criteria;
}

Json gate_document(const actions::GateCheck& check) {
  std::vector<Json> criteria;
  for (const Criterion& one : criteria_in(check)) {
    criteria.push_back(Json::object({{"name", one.name},
                                     {"expected", one.expected},
                                     {"actual", one.actual},
                                     {"passed", one.passed}}));
  }
  const bool was_asked = check.assessment.has_value();
  return Json::object({{"name", check.gate},
                       {"advisory", check.advisory},
                       {"evaluated", was_asked},
                       {"why_not", was_asked ? Json() : Json(check.why_not)},
                       {"verdict", was_asked ? Json(name_of(check.assessment->verdict)) : Json()},
                       {"summary", was_asked ? Json(check.assessment->summary) : Json()},
                       {"criteria", Json::array(criteria)}});
}

/// What the gates say about the edits, as far as they run no command.
std::vector<actions::GateCheck> gates_about(Store& store, const ShownReview& shown,
                                            const Json& edits) {
  const actions::InputSource source{.job = shown.job,
                                    .workflow = shown.workflow,
                                    .item = shown.item ? &*shown.item : nullptr,
                                    .task = shown.task};
  const actions::Lookup lookup = actions::recorded_lookup(store.records(), source, shown.in, edits);
  return actions::check_gates(shown.stage(), edits, lookup);
}

/// The counts that a page shows as "3 of 4 now pass". What failed in a part that a composed gate
/// did not need is not counted.
struct CriteriaCount {
  std::int64_t passed = 0;
  std::int64_t total = 0;
  std::int64_t gates_not_asked = 0;
};

CriteriaCount count_of(const std::vector<actions::GateCheck>& checks) {
  CriteriaCount count;
  for (const actions::GateCheck& check : checks) {
    if (!check.assessment) {
      ++count.gates_not_asked;
      continue;
    }
    const std::vector<Criterion> criteria = criteria_in(check);
    const auto passed = std::ranges::count(criteria, true, &Criterion::passed);
    const bool is_enough = check.assessment->verdict == Verdict::accepted;
    count.passed += passed;
    count.total += is_enough ? passed : static_cast<std::int64_t>(criteria.size());
  }
  return count;
}

/// 415 unless the body is said to be bytes, which no form of another site can say.
std::optional<Response> wrong_type(const Request& request) {
  const std::string_view type = request.headers.find("Content-Type").value_or("");
  if (is_same_name(type, "application/octet-stream")) return std::nullopt;
  return error_response(415, "wrong_type", "the body must be the bytes of the file",
                        "send it with `Content-Type: application/octet-stream`");
}

/// Whether the caller may edit the review now: it is open, and theirs to answer.
Status check_may_edit(Call& call, const Review& review) {
  const Result<Standing> standing = call.store().people().standing(call.actor());
  if (!standing) return std::unexpected(standing.error());
  if (Status may = check_may_decide(review, call.actor(), *standing); !may) return may;
  if (review.status == ReviewStatus::open) return {};
  return fail(ErrorCode::conflict,
              "review " + std::to_string(review.id.value()) + " is not open: it is " +
                  std::string(name_of(review.status)),
              "upload files only for open reviews");
}

}  // namespace

Status check_files_in(Backend& backend, const Review& review, const Json& edits) {
  std::string faults;
  std::optional<std::set<File>> on_record;
  Status read;
  const auto is_own = [&](const FileValue& file) {
    if (backend.uploads.has(review.id, file.sha256, file.size)) return true;
    if (!on_record) {
      Result<std::set<File>> found = files_on_record(backend.store.records(), review);
      if (!found) read = std::unexpected(found.error());
      on_record = found.value_or(std::set<File>());
    }
    return on_record->contains({file.sha256, file.size});
  };
  each_file(edits, [&](const Json& object) {
    const std::optional<FileValue> file = codec::file_of(object);
    if (file && is_own(*file)) return;
    constexpr std::size_t reported_max = 1'000;
    if (faults.size() > reported_max) return;
    faults += faults.empty() ? "" : "; ";
    faults += file ? "the file '" + file->name +
                         "' was neither made by an attempt of this review "
                         "nor uploaded for it"
                   : "a file has another form than {\"$file\",\"name\",\"size\"}";
  });
  if (!read) return read;
  if (faults.empty()) return {};
  return fail(ErrorCode::invalid, faults,
              "leave the file as it is in the output, or upload another one for this review");
}

Result<Reply> check_edits_of_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const Json edits = call.body.json("edits").value_or(Json());
  const Result<ShownReview> shown =
      actions::load_review_with_input(call.records(), *id, call.store().now());
  if (!shown) return std::unexpected(shown.error());
  const std::int64_t attempt = call.body.integer("attempt_number", shown->review.attempt);
  const Result<Json> output =
      views::output_of_attempt(call.records(), *shown, static_cast<AttemptNumber>(attempt));
  if (!output) return std::unexpected(output.error());
  std::vector<Json> faults;
  for (const Status& good : {check_edits(shown->stage(), *output, edits),
                             check_files_in(call.backend, shown->review, edits)}) {
    if (good) continue;
    if (good.error().code != ErrorCode::invalid) return std::unexpected(good.error());
    const Error& error = good.error();
    faults.push_back(Json::object(
        {{"message", error.message}, {"help", error.help.empty() ? Json() : Json(error.help)}}));
  }
  const std::vector<actions::GateCheck> checks = gates_about(call.store(), *shown, edits);
  std::vector<Json> gates;
  for (const actions::GateCheck& check : checks) gates.push_back(gate_document(check));
  const CriteriaCount count = count_of(checks);
  return Document{Json::object({{"ok", faults.empty()},
                                {"faults", Json::array(faults)},
                                {"changes", canonical(*output) != canonical(edits)},
                                {"gates", Json::array(gates)},
                                {"criteria_passed", count.passed},
                                {"criteria_total", count.total},
                                {"gates_not_evaluated", count.gates_not_asked}})};
}

Result<Reply> upload_file_of_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  if (std::optional<Response> refused = wrong_type(call.request)) return *std::move(refused);
  const Result<Review> review = call.records().review(*id);
  if (!review) return std::unexpected(review.error());
  if (const Status may = check_may_edit(call, *review); !may) return std::unexpected(may.error());
  const std::string name = call.query.text("name");
  const std::string& bytes = call.request.body;
  FileValue file{.sha256 = std::string(64, '0'),
                 .name = name,
                 .size = static_cast<std::int64_t>(bytes.size())};
  if (!codec::file_of(codec::file_value(file))) {
    return fail(ErrorCode::invalid, "'" + name + "' is not the name of a file",
                "give 1 to 255 bytes without '/', such as report.md");
  }
  if (const Status room = call.backend.uploads.check_room(*id); !room) {
    return std::unexpected(room.error());
  }
  Result<std::string> sha256 = call.store().keep_payload(bytes);
  if (!sha256) return std::unexpected(std::move(sha256.error()));
  file.sha256 = std::move(*sha256);
  call.backend.uploads.add(*id, file.sha256, file.size);
  return Document{codec::file_value(file)};
}

}  // namespace pawl::service
