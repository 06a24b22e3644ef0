#include "runtime/submission.hpp"

#include <utility>

#include "pawl/codec/item_key.hpp"

namespace pawl::runtime {

void give_keys(std::vector<NewItem>& items) {
  for (NewItem& item : items) {
    if (item.key.empty()) item.key = item_key(item.data);
  }
}

Result<JobId> submit_pages(const Workflow& workflow, const ItemSource& source,
                           const JobOptions& options, const PageSink& sink) {
  std::vector<NewItem> page;
  const Result<bool> more = source(page);
  if (!more) return std::unexpected(more.error());
  give_keys(page);
  const NewJob job{.workflow = workflow,
                   .key = options.key,
                   .params = options.params,
                   .labels = options.labels,
                   .budget = options.budget,
                   .tolerate_failures = options.tolerate_failures,
                   .parallel = options.parallel,
                   .priority = options.priority,
                   .by = options.by};
  const Result<Submitted> submitted = sink.begin(job, {.job = {},
                                                       .items = page,
                                                       .adopt = options.adopt,
                                                       .close = !*more && !options.keep_open,
                                                       .open_for = {}});
  if (!submitted) return std::unexpected(submitted.error());
  if (options.on_submitted) options.on_submitted(*submitted);
  const JobId id = submitted->job.id;
  if (!*more || submitted->was_known) return id;
  const Status rest =
      add_pages({.job = id, .adopt = options.adopt, .close = !options.keep_open}, source, sink);
  if (!rest) return std::unexpected(rest.error());
  return id;
}

Status add_pages(const Pages& pages, const ItemSource& source, const PageSink& sink) {
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    const Result<bool> read = source(page);
    if (!read) return std::unexpected(read.error());
    more = *read;
    give_keys(page);
    const Result<Added> added = sink.add({.job = pages.job,
                                          .items = page,
                                          .adopt = pages.adopt,
                                          .close = pages.close && !more,
                                          .open_for = {}});
    if (!added) return std::unexpected(added.error());
  }
  return {};
}

}  // namespace pawl::runtime

namespace pawl {

Result<JobId> submit_to_store(Store& store, const Workflow& workflow, const ItemSource& source,
                              const JobOptions& options) {
  return runtime::submit_pages(
      workflow, source, options,
      {.begin = [&](const NewJob& job, const AddItems& page) { return store.submit(job, page); },
       .add = [&](const AddItems& page) { return store.add_items(page); }});
}

}  // namespace pawl
