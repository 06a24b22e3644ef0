#pragma once

/// The handlers of the routes of items and stages; `routes_items.cpp` is their table.
///
/// Most exist twice: for a stage of an item, and for a job-wide stage. `AddressOf` reads what the
/// request is about.

#include "service/api/record_lookup.hpp"

namespace pawl::service {

[[nodiscard]] Result<Reply> list_items(Call& call);
[[nodiscard]] Result<Reply> show_item(Call& call);
[[nodiscard]] Result<Reply> show_item_by_key(Call& call);

// What happened, at an address.
[[nodiscard]] Result<Reply> list_attempts(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> list_logs(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> list_decisions(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> show_criteria(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> compare_attempts(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> list_children(Call& call, const views::Address& address);

// Acting.
[[nodiscard]] Result<Reply> retry_at(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> skip_at(Call& call, const views::Address& address);
[[nodiscard]] Result<Reply> cancel_at(Call& call, const views::Address& address);

using AddressHandle = Result<Reply> (*)(Call& call, const views::Address& address);

/// The handler for "{item}" with the stage and child of the query or, of an act, of the body.
template <AddressHandle Handler>
Result<Reply> of_item(Call& call) {
  const bool reads = call.request.method == "GET" || call.request.method == "HEAD";
  const Result<views::Address> address = item_address(call, reads ? call.query : call.body);
  if (!address) return std::unexpected(address.error());
  return Handler(call, *address);
}
/// The same for "{job}" and "{stage}".
template <AddressHandle Handler>
Result<Reply> of_stage(Call& call) {
  const bool reads = call.request.method == "GET" || call.request.method == "HEAD";
  const Result<views::Address> address = stage_address(call, reads ? call.query : call.body);
  if (!address) return std::unexpected(address.error());
  return Handler(call, *address);
}

}  // namespace pawl::service
