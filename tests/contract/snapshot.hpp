#pragma once

/// The whole content of a store's records, to compare one store with another.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/store/people.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::driving {

struct Snapshot {
  std::vector<Job> jobs;
  std::vector<Item> items;
  std::vector<Task> tasks;
  std::vector<Attempt> attempts;
  std::vector<Review> reviews;
  std::vector<Review> inboxes;  ///< of everybody, and of some of the people
  std::vector<GivenAnswer> answers;
  std::vector<AuditEntry> audit;
  std::vector<Person> people;
  std::vector<TokenRecord> tokens;
  std::vector<Event> events;
  std::vector<WorkerRecord> workers;
  std::vector<std::string> outputs;
  std::vector<std::string> lanes;
};

inline Snapshot snapshot_of(Store& store) {
  constexpr std::uint32_t all = 1'000'000;
  Records& records = store.records();
  Snapshot taken{.jobs = *records.jobs({.limit = all}),
                 .items = {},
                 .tasks = *records.tasks({.limit = all}),
                 .attempts = {},
                 .reviews = *records.reviews({.limit = all}),
                 .inboxes = {},
                 .answers = {},
                 .audit = *records.audit({.limit = all}),
                 .people = *store.people().all(),
                 .tokens = *store.people().tokens(),
                 .events = *records.events({.limit = all}),
                 .workers = *records.workers(),
                 .outputs = {},
                 .lanes = {}};
  for (const Job& job : taken.jobs) {
    const std::vector<Item> items = *records.items({.job = job.id, .limit = all});
    taken.items.insert(taken.items.end(), items.begin(), items.end());
  }
  for (const Task& task : taken.tasks) {
    const std::vector<Attempt> attempts = *records.attempts(task.id);
    taken.attempts.insert(taken.attempts.end(), attempts.begin(), attempts.end());
    const StageOutput output = *records.output(task.id);
    taken.outputs.push_back(std::to_string(task.id.value()) + " attempt " +
                            std::to_string(output.attempt) + (output.edited ? " edited " : " ") +
                            output.output.text());
  }
  for (const Review& review : taken.reviews) {
    const std::vector<GivenAnswer> given = *records.answers(review.id);
    taken.answers.insert(taken.answers.end(), given.begin(), given.end());
  }
  const std::vector<InboxFilter> inboxes{
      {},
      {.assigned_to = {"eve", "group:editors"}},
      {.assigned_to = {"bob", "group:leads"}, .open_to_all = false},
      {.claimed_by = "eve"}};
  for (InboxFilter filter : inboxes) {
    filter.limit = all;
    const std::vector<Review> listed = *records.inbox(filter);
    taken.inboxes.insert(taken.inboxes.end(), listed.begin(), listed.end());
  }
  const std::vector<LaneHead> heads = *store.ready_lanes();
  for (const LaneHead& head : heads) {
    taken.lanes.push_back(std::to_string(head.lane.value()) + " job " +
                          std::to_string(head.job.value()) + " stage " +
                          std::to_string(at(head.stage)) + " '" + head.category + "' oldest " +
                          std::to_string(head.oldest));
  }
  return taken;
}

/// The position of the first difference, or nothing.
template <class Row>
void expect_same(const char* what, const std::vector<Row>& one, const std::vector<Row>& two) {
  if (one == two) return;
  std::size_t place = 0;
  while (place < one.size() && place < two.size() && one[place] == two[place]) ++place;
  ADD_FAILURE() << what << " differ: " << one.size() << " and " << two.size()
                << " rows, first at row " << place;
}

inline void expect_same(const Snapshot& one, const Snapshot& two) {
  expect_same("jobs", one.jobs, two.jobs);
  expect_same("items", one.items, two.items);
  expect_same("tasks", one.tasks, two.tasks);
  expect_same("attempts", one.attempts, two.attempts);
  expect_same("reviews", one.reviews, two.reviews);
  expect_same("inboxes", one.inboxes, two.inboxes);
  expect_same("answers", one.answers, two.answers);
  expect_same("audit", one.audit, two.audit);
  expect_same("people", one.people, two.people);
  expect_same("tokens", one.tokens, two.tokens);
  expect_same("events", one.events, two.events);
  expect_same("workers", one.workers, two.workers);
  expect_same("outputs", one.outputs, two.outputs);
  expect_same("lanes", one.lanes, two.lanes);
}

inline void expect_clean(Records& records, const char* whose) {
  const Result<Verification> checked = verify(records, {});
  ASSERT_TRUE(checked) << checked.error().text();
  for (const Violation& one : checked->violations) {
    ADD_FAILURE() << whose << ": " << one.invariant << ": " << one.message;
  }
}

}  // namespace pawl::driving
