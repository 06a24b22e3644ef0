/// The inbox: reviews that wait for people, in the order of their due times. And the audit trail as
/// a list.

#include "contract/listing.hpp"
#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Names = std::vector<std::string>;

class Inbox : public PeopleContract {
 protected:
  std::vector<Review> listed(const InboxFilter& filter, std::uint32_t page = 2) {
    return paged<Review, InboxFilter>(
        filter, [&](const InboxFilter& next) { return drive.records().inbox(next); },
        [](InboxFilter& next, const Review& last) {
          next.after_due = last.due_at;
          next.after = last.id;
        },
        page);
  }
  std::vector<std::int64_t> ids(const InboxFilter& filter) {
    std::vector<std::int64_t> found;
    for (const Review& review : listed(filter)) found.push_back(review.id.value());
    return found;
  }
  std::vector<Review> all_reviews() { return *drive.records().reviews({.limit = 10'000}); }

  static bool is_pending(const Review& review) {
    return review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
  }
  /// Those that match, in the order of an inbox.
  std::vector<Review> expected(const InboxFilter& filter) {
    std::vector<Review> all = chosen(all_reviews(), [&](const Review& review) {
      const auto is_named = [&](const std::string& name) {
        return std::ranges::count(filter.assigned_to, name) > 0;
      };
      const bool is_theirs = filter.assigned_to.empty() ||
                             (filter.open_to_all && review.assigned.empty()) ||
                             std::ranges::any_of(review.assigned, is_named);
      const bool is_claimed = filter.claimed_by.empty() || (review.status == ReviewStatus::open &&
                                                            review.claimed_by == filter.claimed_by);
      const bool is_overdue = filter.overdue_at == no_time ||
                              (review.due_at != no_time && review.due_at <= filter.overdue_at);
      return is_pending(review) && is_theirs && is_claimed && is_overdue &&
             (!filter.job || review.job == filter.job);
    });
    std::ranges::stable_sort(all, {}, [](const Review& review) {
      return std::pair(review.due_at == no_time ? Timestamp::max() : review.due_at, review.id);
    });
    return all;
  }

  /// Reviews with and without assignees and due times, some of them answered or claimed.
  std::vector<JobId> many_reviews() {
    const std::vector<ReviewRules> rules{
        {},
        {.assign = {"anna"}, .due = 4h},
        {.assign = {"anna", "group:editors"}, .due = 1h},
        {.assign = {"group:editors", "ben"}},
        {.due = 2h},
        {.assign = {"ben"}, .due = 1h},
    };
    std::vector<StageDefinition> stages;
    for (const ReviewRules& one : rules) {
      stages.push_back(ruled(one));
      stages.back().name = "stage-" + std::to_string(stages.size());
    }
    const Workflow flow = workflow("many", stages);
    std::vector<JobId> jobs;
    for (int i = 0; i < 2; ++i) {
      jobs.push_back(drive.submit(flow, {"x", "y", "z"}));
      drive.work_once(always(succeeded()));
      drive.clock().advance(10min);
    }
    const Timestamp until = drive.clock().now() + 30min;
    int place = 0;
    for (const Review& review : all_reviews()) {
      const int turn = place++ % 5;
      // Some of them belong to an item that was cancelled before: those are refused.
      if (turn == 0) (void)drive.act(ClaimReview{review.id, "anna", until});
      if (turn == 1 && place < 8) (void)drive.act(CancelItem{review.item});
      if (turn == 2) (void)drive.act(AssignReview{review.id, {"cleo", "group:x"}, "", "root"});
      if (turn == 3) (void)approve_later(review, "dora", 50s);
    }
    return jobs;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Inbox, testing::ValuesIn(store_kinds()), name_of_kind);

class AuditList : public PeopleContract {};
INSTANTIATE_TEST_SUITE_P(Stores, AuditList, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Inbox, has_what_is_due_first_at_the_top_and_what_is_never_due_at_the_end) {
  (void)asked({});
  (void)asked({.due = 3h});
  (void)asked({.due = 1h});
  (void)asked({});
  (void)asked({.due = 3h});
  EXPECT_THAT(ids({}), ElementsAre(3, 2, 5, 1, 4)) << "the same due time: the older review first";
  EXPECT_EQ(drive.records().count(InboxFilter{})->count, 5);
}

TEST_P(Inbox, has_the_reviews_of_a_person_and_of_their_groups_once_each) {
  (void)asked({.assign = {"anna"}});
  (void)asked({.assign = {"group:editors"}});
  (void)asked({.assign = {"anna", "group:editors", "ben"}, .due = 1h});
  (void)asked({});
  EXPECT_THAT(ids({.assigned_to = {"anna"}}), ElementsAre(3, 1, 4));
  EXPECT_THAT(ids({.assigned_to = {"anna"}, .open_to_all = false}), ElementsAre(3, 1));
  EXPECT_THAT(ids({.assigned_to = {"anna", "group:editors"}, .open_to_all = false}),
              ElementsAre(3, 1, 2));
  EXPECT_THAT(ids({.assigned_to = {"editors"}, .open_to_all = false}), IsEmpty())
      << "a person is not a group of the same name";
  EXPECT_THAT(ids({.assigned_to = {"\xff"}, .open_to_all = false}), IsEmpty());
  EXPECT_THAT(ids({.assigned_to = {"anna", "anna"}, .open_to_all = false}), ElementsAre(3, 1));
}

TEST_P(Inbox, follows_a_review_that_is_handed_over_answered_or_taken_back) {
  const Review review = asked({.assign = {"anna"}, .due = 1h});
  const InboxFilter annas{.assigned_to = {"anna"}, .open_to_all = false};
  const InboxFilter bens{.assigned_to = {"ben"}, .open_to_all = false};
  EXPECT_THAT(ids(annas), ElementsAre(1));
  ASSERT_TRUE(drive.act(AssignReview{review.id, {"ben"}, "", "olga"}));
  EXPECT_THAT(ids(annas), IsEmpty());
  EXPECT_THAT(ids(bens), ElementsAre(1));
  ASSERT_TRUE(approve_later(review, "ben", 30s));
  EXPECT_THAT(ids(bens), ElementsAre(1)) << "it can still be taken back";
  ASSERT_TRUE(undo(review, "ben"));
  EXPECT_THAT(ids(bens), ElementsAre(1));
  ASSERT_TRUE(drive.act(AssignReview{review.id, {}, "", "olga"}));
  EXPECT_THAT(ids(bens), IsEmpty());
  EXPECT_THAT(ids({.assigned_to = {"ben"}}), ElementsAre(1));
  ASSERT_TRUE(approve(review, "cleo"));
  EXPECT_THAT(ids({}), IsEmpty());
  EXPECT_EQ(drive.records().count(InboxFilter{})->count, 0);
}

TEST_P(Inbox, loses_what_is_superseded_and_what_belongs_to_a_purged_item) {
  const Review review = asked({.assign = {"anna"}});
  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  EXPECT_THAT(ids({}), IsEmpty());
  drive.work_once(always(succeeded()));
  EXPECT_THAT(ids({.assigned_to = {"anna"}}), ElementsAre(2));
  ASSERT_TRUE(drive.act(CancelItem{review.item}));
  ASSERT_TRUE(drive.act(PurgeItem{review.item}));
  EXPECT_THAT(ids({}), IsEmpty());
  EXPECT_THAT(ids({.assigned_to = {"anna"}}), IsEmpty());
  EXPECT_THAT(answers(review), IsEmpty());
}

TEST_P(Inbox, may_be_what_a_person_has_claimed) {
  const Review one = asked({.due = 5h});
  const Review two = asked({.due = 1h});
  (void)asked({});
  const Timestamp until = drive.clock().now() + 1h;
  ASSERT_TRUE(drive.act(ClaimReview{one.id, "anna", until}));
  ASSERT_TRUE(drive.act(ClaimReview{two.id, "anna", until}));
  EXPECT_THAT(ids({.claimed_by = "anna"}), ElementsAre(2, 1));
  EXPECT_THAT(ids({.claimed_by = "ben"}), IsEmpty());
  ASSERT_TRUE(drive.act(ReleaseReview{two.id, "anna"}));
  EXPECT_THAT(ids({.claimed_by = "anna"}), ElementsAre(1));
}

TEST_P(Inbox, may_be_what_is_due_by_a_time) {
  const Timestamp opened = drive.clock().now();
  (void)asked({.due = 1h});
  (void)asked({.due = 2h});
  (void)asked({});
  EXPECT_THAT(ids({.overdue_at = opened + 1h - 1us}), IsEmpty());
  EXPECT_THAT(ids({.overdue_at = opened + 1h}), ElementsAre(1));
  EXPECT_THAT(ids({.overdue_at = opened + 100h}), ElementsAre(1, 2)) << "one is never due";
}

TEST_P(Inbox, in_pages_is_the_whole_list_for_every_combination_of_filters) {
  std::vector<JobId> jobs = many_reviews();
  jobs.push_back(JobId{});
  jobs.push_back(JobId{99});
  const Timestamp now = drive.clock().now();
  int not_empty = 0;
  for (const JobId job : jobs) {
    for (const Names& names : {Names{}, Names{"anna"}, Names{"ben", "group:editors"},
                               Names{"cleo", "group:x", "nobody"}}) {
      for (const bool open_to_all : {true, false}) {
        for (const std::string claimer : {"", "anna", "ben"}) {
          for (const Timestamp due : {no_time, now + 1h, now + 10h}) {
            const InboxFilter filter{.assigned_to = names,
                                     .open_to_all = open_to_all,
                                     .claimed_by = claimer,
                                     .overdue_at = due,
                                     .job = job};
            const std::vector<Review> wanted = expected(filter);
            EXPECT_EQ(listed(filter, 3), wanted);
            const Tally tally = *drive.records().count(filter);
            EXPECT_EQ(tally.count, static_cast<std::int64_t>(wanted.size()));
            EXPECT_FALSE(tally.is_more);
            not_empty += wanted.empty() ? 0 : 1;
          }
        }
      }
    }
  }
  EXPECT_GT(not_empty, 60) << "the filters were really tried";
}

TEST_P(Inbox, of_more_than_a_thousand_reviews_is_paged_and_counted_up_to_the_limit) {
  const Workflow flow = workflow("w", {ruled({.assign = {"anna", "ben"}, .due = 1h})});
  std::vector<std::string> keys;
  for (int i = 0; i < 1'010; ++i) keys.push_back(std::to_string(i));
  drive.submit(flow, keys);
  EXPECT_EQ(drive.work_once(always(succeeded())), 1'000);
  const auto count = [&](const InboxFilter& filter) { return *drive.records().count(filter); };
  for (const InboxFilter& filter : {InboxFilter{}, InboxFilter{.assigned_to = {"anna", "ben"}}}) {
    EXPECT_EQ(count(filter).count, 1'000);
    EXPECT_FALSE(count(filter).is_more);
  }
  EXPECT_EQ(drive.work_once(always(succeeded())), 10);
  for (const InboxFilter& filter : {InboxFilter{}, InboxFilter{.assigned_to = {"anna", "ben"}}}) {
    EXPECT_EQ(count(filter).count, tally_max);
    EXPECT_TRUE(count(filter).is_more);
    EXPECT_THAT(listed(filter, 300), SizeIs(1'010));
  }
}

TEST_P(AuditList, in_pages_is_the_whole_list_for_every_combination_of_filters) {
  add("adam", Role::admin);
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(drive.submit(workflow("w", {stage("a")}), {"x"}));
    for (const std::string who : {"adam", "root"}) {
      const Actor actor = who == "adam" ? person(who) : local_user(who);
      ASSERT_TRUE(drive.act(PauseJob{jobs.back()}, actor));
      ASSERT_TRUE(drive.act(ResumeJob{jobs.back()}, actor));
      ASSERT_TRUE(drive.act(SetBudget{jobs.back(), {}}, actor));
    }
  }
  const std::vector<AuditEntry> all = trail();
  ASSERT_GE(all.size(), 19U);
  jobs.push_back(JobId{});
  jobs.push_back(JobId{99});
  for (const JobId job : jobs) {
    for (const std::string actor : {"", "adam", "root", "nobody", "\xff"}) {
      for (const std::string act : {"", "job.pause", "person.add", "no.act"}) {
        const auto listed = paged<AuditEntry, AuditFilter>(
            {.job = job, .actor = actor, .act = act},
            [&](const AuditFilter& filter) { return drive.records().audit(filter); },
            [](AuditFilter& filter, const AuditEntry& last) { filter.after = last.number; });
        EXPECT_EQ(listed, chosen(all, [&](const AuditEntry& entry) {
                    return (!job || entry.job == job) &&
                           (actor.empty() || entry.actor.name == actor) &&
                           (act.empty() || entry.act == act);
                  }));
      }
    }
  }
}

}  // namespace
}  // namespace pawl::driving
