#include "views/labels.hpp"

#include "pawl/codec/names.hpp"

namespace pawl::views {

std::string_view label_of(StateKind state) {
  switch (state) {
    case StateKind::waiting:
      return "waiting";
    case StateKind::ready:
      return "queued";
    case StateKind::running:
      return "running";
    case StateKind::retry_scheduled:
      return "retrying";
    case StateKind::awaiting_review:
      return "review";
    case StateKind::expanded:
      return "expanded";
    case StateKind::succeeded:
      return "done";
    case StateKind::skipped:
      return "skipped";
    case StateKind::failed:
      return "dead";
    case StateKind::cancelled:
      return "cancelled";
  }
  return {};
}

std::string_view label_of(ItemState state) {
  switch (state) {
    case ItemState::active:
      return "active";
    case ItemState::succeeded:
      return "done";
    case ItemState::failed:
      return "dead";
    case ItemState::cancelled:
      return "cancelled";
    case ItemState::rejected:
      return "rejected";
  }
  return {};
}

std::string_view label_of(JobState state) { return name_of(state); }

}  // namespace pawl::views
