/// What an operator does to an item or a stage.

#include "actions/item_acts.hpp"
#include "service/api/item_handlers.hpp"

namespace pawl::service {
namespace {

actions::Perform performer(Call& call, const views::Address& address) {
  return [&call, job = address.job.id](const Act& act) { return perform(call, act, job); };
}

/// `invalid` if a version is given and it is not clear of which task.
Status check_expected(const Call& call, const views::Address& address) {
  if (!call.body.has("expected") || address.stage) return {};
  return fail(ErrorCode::invalid, "'expected' needs 'stage'",
              "a version is that of one task: name its stage, and its fan-out child if it is one");
}

}  // namespace

Result<Reply> retry_at(Call& call, const views::Address& address) {
  if (const Status clear = check_expected(call, address); !clear) {
    return std::unexpected(clear.error());
  }
  const Result<actions::Retried> retried =
      actions::retry(call.records(), address,
                     {.from = {},
                      .note = call.body.text("note"),
                      .by = call.actor().name,
                      .expected = call.body.integer("expected")},
                     performer(call, address));
  if (!retried) return std::unexpected(retried.error());
  return Document{retried->document};
}

Result<Reply> skip_at(Call& call, const views::Address& address) {
  const Result<actions::DoneToItem> done =
      actions::skip(call.records(), address,
                    {.reason = call.body.text("reason"),
                     .by = call.actor().name,
                     .expected = call.body.integer("expected")},
                    performer(call, address));
  if (!done) return std::unexpected(done.error());
  return Document{done->document};
}

Result<Reply> cancel_at(Call& call, const views::Address& address) {
  const Result<actions::DoneToItem> done = actions::cancel_item(address, performer(call, address));
  if (!done) return std::unexpected(done.error());
  return Document{done->document};
}

}  // namespace pawl::service
