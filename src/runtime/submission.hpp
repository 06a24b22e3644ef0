#pragma once

/// How the items of a job reach the store, page by page: through an engine, which may open attempts
/// on the way, or directly.

#include <functional>

#include "pawl/runtime/engine.hpp"

namespace pawl::runtime {

/// Where the pages go.
struct PageSink {
  /// The first page, which creates the job.
  std::function<Result<Submitted>(const NewJob&, const AddItems&)> begin;
  std::function<Result<Added>(const AddItems&)> add;
};

/// Items without a key get one.
void give_keys(std::vector<NewItem>& items);

/// Reads one page ahead, so that the last page closes the submission with it.
[[nodiscard]] Result<JobId> submit_pages(const Workflow& workflow, const ItemSource& source,
                                         const JobOptions& options, const PageSink& sink);

/// What is to be added to a job, and how.
struct Pages {
  JobId job;
  bool adopt = false;
  bool close = false;  ///< the submission, with the last page
};
[[nodiscard]] Status add_pages(const Pages& pages, const ItemSource& source, const PageSink& sink);

}  // namespace pawl::runtime
