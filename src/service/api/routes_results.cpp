/// The results of a job, and the files that its records name.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "actions/item_file.hpp"
#include "pawl/codec/digest.hpp"
#include "service/api/cursor.hpp"
#include "service/api/file_reply.hpp"
#include "service/api/record_lookup.hpp"
#include "views/named_file.hpp"
#include "views/result_table.hpp"
#include "views/results.hpp"

namespace pawl::service {
namespace {

using views::Address;
using views::ResultTable;
using views::ShownResult;

constexpr std::uint32_t page_size = 100;

/// The results of the items in order of arrival, then those of the job-wide stages.
class Results {
 public:
  Results(Records& records, PinnedJob whole, std::optional<StageIndex> only)
      : records_(records), whole_(std::move(whole)), only_(only) {}

  [[nodiscard]] Result<Page> page(const std::string& after, std::uint32_t limit) const {
    const Result<std::int64_t> last = number_of_cursor(after);
    if (!last) return std::unexpected(last.error());
    PageRows rows(limit);
    ItemId at{*last};
    const bool wants_items = !only_ || whole_.workflow.stage(*only_).scope == Scope::item;
    for (bool more = wants_items; more;) {
      const ItemFilter filter{.job = whole_.job.id, .after = at, .limit = page_size};
      const Result<std::vector<Item>> items = records_.items(filter);
      if (!items) return std::unexpected(items.error());
      more = items->size() == page_size;
      for (const Item& item : *items) {
        if (rows.is_full()) return std::move(rows).page(cursor_of(at));
        const auto result = views::result_of(records_, whole_.job, whole_.workflow, item, only_);
        if (!result) return std::unexpected(result.error());
        rows.add(views::result_document(whole_.job, whole_.workflow, *result));
        at = item.id;
      }
    }
    const auto job_wide = views::job_wide_result(records_, whole_.job, whole_.workflow, only_);
    if (!job_wide) return std::unexpected(job_wide.error());
    if (!*job_wide) return std::move(rows).page(std::nullopt);
    if (rows.is_full()) return std::move(rows).page(cursor_of(at));
    rows.add(views::result_document(whole_.job, whole_.workflow, **job_wide));
    return std::move(rows).page(std::nullopt);
  }

  [[nodiscard]] Table table() const {
    auto table = std::make_shared<ResultTable>(whole_.workflow, only_);
    return {.headings = table->headings(), .cells = [table](const Json& row) {
              const std::string state = field(row, "state").string().value_or("");
              ShownResult result{.item = std::nullopt, .state = state, .outputs = {}};
              if (const auto item = field(row, "item").string()) result.item = *item;
              result.outputs = members(field(row, "outputs"));
              return table->cells(result);
            }};
  }

 private:
  static std::string cursor_of(ItemId item) { return std::to_string(item.value()); }

  Records& records_;
  PinnedJob whole_;
  std::optional<StageIndex> only_;
};

Result<Reply> list_results(Call& call) {
  Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  const auto only = stage_named(whole->workflow, call.query.text("stage"));
  if (!only) return std::unexpected(only.error());
  const Results results(call.records(), std::move(*whole), *only);
  List list;
  list.page = [results](const std::string& after, std::uint32_t limit) {
    return results.page(after, limit);
  };
  list.table = results.table();
  return list;
}

/// The file if a record at one of these addresses names it.
Result<Reply> serve_file(Call& call, const std::vector<Address>& addresses) {
  // Outputs name it with its kind in front.
  constexpr std::string_view kind = "sha256:";
  std::string sha256 = call.part("sha256");
  if (sha256.starts_with(kind)) sha256.erase(0, kind.size());
  Records& records = call.records();
  std::optional<views::NamedFile> found;
  if (is_sha256_hex(sha256)) {
    for (const Address& address : addresses) {
      auto named = views::named_file(records, address, sha256);
      if (!named) return std::unexpected(named.error());
      found = std::move(*named);
      if (found) break;
    }
  }
  if (!found) {
    return fail(ErrorCode::not_found,
                "no record of this names a file with the digest '" + sha256 + "'",
                "take the digest from an output, an artifact or a log");
  }
  const Result<std::int64_t> size = records.payload_size(sha256);
  if (!size) return std::unexpected(size.error());
  Result<Response> response = file_response(
      call.request, {.sha256 = sha256,
                     .name = found->name,
                     .size = *size,
                     .read = [&records, sha256](std::int64_t from, std::size_t bytes_max) {
                       return records.payload_range(sha256, from, bytes_max);
                     }});
  if (!response) return std::unexpected(response.error());
  return std::move(*response);
}

/// The job-wide stages.
std::vector<Address> job_wide(const PinnedJob& whole) {
  std::vector<Address> addresses;
  for (const StageIndex stage : whole.workflow.all_scope_stages()) {
    addresses.push_back(
        {.job = whole.job, .workflow = whole.workflow, .item = std::nullopt, .stage = stage});
  }
  return addresses;
}

Result<Reply> file_of_item(Call& call) {
  const Result<Address> address = item_address(call, {});
  if (!address) return std::unexpected(address.error());
  return serve_file(call, {*address});
}

Result<Reply> file_of_job(Call& call) {
  const Result<PinnedJob> whole = job_of(call);
  if (!whole) return std::unexpected(whole.error());
  return serve_file(call, job_wide(*whole));
}

/// Everything that the item of the review has: a reviewer also sees the input of the stage.
Result<Reply> file_of_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const Result<Review> review = call.records().review(*id);
  if (!review) return std::unexpected(review.error());
  Result<Job> job = call.records().job(review->job);
  if (!job) return std::unexpected(job.error());
  Result<PinnedJob> whole = pinned(call.records(), std::move(*job));
  if (!whole) return std::unexpected(whole.error());
  if (!review->item) return serve_file(call, job_wide(*whole));
  Result<Item> item = call.records().item(review->item);
  if (!item) return std::unexpected(item.error());
  return serve_file(call, {{.job = std::move(whole->job),
                            .workflow = std::move(whole->workflow),
                            .item = std::move(*item),
                            .stage = std::nullopt}});
}

Result<Reply> source_of_item(Call& call) {
  const Result<Address> address = item_address(call, {});
  if (!address) return std::unexpected(address.error());
  Result<actions::ItemFile> file = actions::open_item_file(address->job, *address->item);
  if (!file) return std::unexpected(file.error());
  const auto opened = std::make_shared<files::Descriptor>(std::move(file->file));
  Result<Response> response =
      file_response(call.request, {.sha256 = file->sha256,
                                   .name = file->name,
                                   .size = file->size,
                                   .read = [opened](std::int64_t from, std::size_t bytes_max) {
                                     return actions::read_range(*opened, from, bytes_max);
                                   }});
  if (!response) return std::unexpected(response.error());
  return std::move(*response);
}

Route file_route(std::string_view path, Handle handle, std::string_view operation,
                 std::string_view summary) {
  return {.method = "GET",
          .path = path,
          .access = Access::needs(Right::see),
          .handle = handle,
          .operation = operation,
          .tag = "results",
          .summary = summary,
          .kind = ReplyKind::other,
          .also = {206},
          .content_type = "application/octet-stream"};
}

}  // namespace

std::vector<Route> result_routes() {
  return {
      {.method = "GET",
       .path = "/api/v1/jobs/{job}/results",
       .access = Access::needs(Right::see),
       .handle = &list_results,
       .operation = "listResults",
       .tag = "results",
       .summary = "The outputs of each item, then those of the job-wide stages. As CSV: a column "
                  "for each output field.",
       .query = {{.name = "stage", .about = "Only the outputs of this stage."}},
       .kind = ReplyKind::list,
       .schema = "ItemResult",
       .rows = "results",
       .columns = {"item", "state"}},
      file_route("/api/v1/items/{item}/files/{sha256}", &file_of_item, "getFileOfItem",
                 "A file that a record of the item names: an output, an artifact, a log, or the "
                 "edit of a reviewer."),
      file_route("/api/v1/items/{item}/source", &source_of_item, "getSourceOfItem",
                 "The file that the item was made of, while it is in the project and unchanged. "
                 "Only for items of a glob."),
      file_route("/api/v1/jobs/{job}/files/{sha256}", &file_of_job, "getFileOfJob",
                 "A file that a record of a job-wide stage names."),
      file_route("/api/v1/reviews/{review}/files/{sha256}", &file_of_review, "getFileOfReview",
                 "A file that a record of what is reviewed names."),
  };
}

}  // namespace pawl::service
