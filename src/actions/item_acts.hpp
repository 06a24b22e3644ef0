#pragma once

/// What an operator does to one item or stage: for the command line and for the service. Each act
/// returns the document that both of them show.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/acts.hpp"
#include "pawl/store/records.hpp"
#include "views/address.hpp"

namespace pawl::actions {

/// Performs an act, on a store or through an engine, and returns the job as it is then.
using Perform = std::function<Result<Job>(const Act& act)>;

struct RetryOrder {
  std::string from;      ///< the stage; empty: that of the address, else every failed one
  std::string note;      ///< feedback for the next attempt
  std::string by;        ///< who asks for it
  Version expected = 0;  ///< `conflict` if the one named task has changed since; 0: as it is now
  std::string_view stage_option = "`stage`";  ///< how the caller names a stage, for errors
};
struct Retried {
  std::string id;                   ///< "41/doc-0419", or that of the child
  std::vector<std::string> stages;  ///< those that run again
  Json document;                    ///< {"item","job","stages","child","id"}; `child` only if named
};
/// Reruns an item from a stage, or a failed fan-out child by itself. `refused` if nothing has
/// failed, if the stage has not started, and for an item that was adopted.
[[nodiscard]] Result<Retried> retry(Records& records, const views::Address& address,
                                    const RetryOrder& order, const Perform& perform);

struct SkipOrder {
  std::string reason;
  std::string by;
  Version expected = 0;  ///< as for a retry
};
struct DoneToItem {
  std::string id;
  Job job;        ///< after it
  Json document;  ///< {"item","job","id"}; of a skip also "stage"
};
/// Skips the stage or the fan-out child of the address. `refused` if it has not started.
[[nodiscard]] Result<DoneToItem> skip(Records& records, const views::Address& address,
                                      const SkipOrder& order, const Perform& perform);
/// Cancels the item of the address. `invalid` if it names a stage, `refused` if the item has ended.
[[nodiscard]] Result<DoneToItem> cancel_item(const views::Address& address, const Perform& perform);

}  // namespace pawl::actions
