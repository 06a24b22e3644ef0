/// Searches by the beginning of a key, counts beside lists, and the newest event.

#include "contract/contract.hpp"
#include "contract/listing.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Searches : public Contract {
 protected:
  JobId submit_items(const std::vector<NewItem>& items) {
    const JobId job = drive.store().create_job({.workflow = workflow("w", {stage("a")})})->id;
    const Result<Added> added =
        drive.store().add_items({.job = job, .items = items, .close = true});
    EXPECT_TRUE(added) << (added ? "" : added.error().text());
    return job;
  }
  JobId submit_keys(const std::vector<std::string>& keys) {
    std::vector<NewItem> items;
    for (const std::string& key : keys) items.push_back({.key = key});
    return submit_items(items);
  }
  std::vector<Item> found(const ItemFilter& filter, std::uint32_t page = 2) {
    return paged<Item, ItemFilter>(
        filter, [&](const ItemFilter& next) { return drive.records().items(next); },
        [](ItemFilter& next, const Item& last) { next.after = last.id; }, page);
  }
  std::vector<std::string> keys_with(JobId job, const std::string& prefix) {
    std::vector<std::string> keys;
    for (const Item& item : found({.job = job, .key_prefix = prefix})) keys.push_back(item.key);
    return keys;
  }
  template <class Filter>
  void expect_count(const Filter& filter, std::int64_t count, bool is_more = false) {
    const Result<Tally> tally = drive.records().count(filter);
    ASSERT_TRUE(tally) << tally.error().text();
    EXPECT_EQ(tally->count, count);
    EXPECT_EQ(tally->is_more, is_more);
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Searches, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Searches, find_the_items_whose_keys_begin_with_a_text_in_the_order_of_their_ids) {
  const JobId job = submit_keys({"inv-7", "letter", "inv-10", "in", "inv-1", "INV-1", "xinv-1"});
  (void)submit_keys({"inv-1", "inv-2"});
  EXPECT_THAT(keys_with(job, "inv-"), ElementsAre("inv-7", "inv-10", "inv-1"));
  EXPECT_THAT(keys_with(job, "inv-1"), ElementsAre("inv-10", "inv-1"));
  EXPECT_THAT(keys_with(job, "in"), ElementsAre("inv-7", "inv-10", "in", "inv-1"));
  EXPECT_THAT(keys_with(job, "I"), ElementsAre("INV-1"));
  EXPECT_THAT(keys_with(job, "inv-10x"), IsEmpty());
  EXPECT_THAT(keys_with(job, "z"), IsEmpty());
  EXPECT_EQ(keys_with(job, "").size(), 7U);
  EXPECT_THAT(keys_with(JobId{99}, "in"), IsEmpty());
  EXPECT_EQ(found({.key_prefix = "inv-"}).size(), 5U) << "of all jobs";
}

TEST_P(Searches, take_every_character_as_it_is) {
  const JobId job = submit_keys({"100%", "100a", "a_b", "axb", "a\\b", "a*b", "naïve", "naïf",
                                 "\U0001F600", "\U0001F600x", "z'--", "bad\xff", "~"});
  EXPECT_THAT(keys_with(job, "100%"), ElementsAre("100%"));
  EXPECT_THAT(keys_with(job, "a_"), ElementsAre("a_b"));
  EXPECT_THAT(keys_with(job, "a\\"), ElementsAre("a\\b"));
  EXPECT_THAT(keys_with(job, "a*"), ElementsAre("a*b"));
  EXPECT_THAT(keys_with(job, "naï"), ElementsAre("naïve", "naïf"));
  EXPECT_THAT(keys_with(job, "\U0001F600"), ElementsAre("\U0001F600", "\U0001F600x"));
  EXPECT_THAT(keys_with(job, "z'"), ElementsAre("z'--"));
  EXPECT_THAT(keys_with(job, "bad\xfe"), ElementsAre("bad\uFFFD")) << "in the form it is stored in";
  EXPECT_THAT(keys_with(job, "~"), ElementsAre("~"));
}

TEST_P(Searches, may_also_ask_for_a_state_and_a_category) {
  std::vector<NewItem> items;
  for (const char* key : {"a1", "a2", "a3", "b1"}) {
    items.push_back({.key = key, .category = key[1] == '3' ? "late" : ""});
  }
  const JobId job = submit_items(items);
  for (const Claimed& claimed : drive.claim()) {
    drive.close(claimed,
                claimed.item_key == "a1" ? failed("torn", ErrorClass::final) : succeeded());
  }
  const ItemFilter good{.job = job, .state = ItemState::succeeded, .key_prefix = "a"};
  EXPECT_EQ(found(good).size(), 2U);
  expect_count(good, 2);
  const ItemFilter late{.job = job, .category = "late", .key_prefix = "a"};
  EXPECT_EQ(found(late).size(), 1U);
  expect_count(late, 1);
  expect_count(ItemFilter{.job = job, .key_prefix = "a"}, 3);
}

// So many that they are not all read and sorted.
TEST_P(Searches, find_more_than_a_thousand_items_as_well) {
  std::vector<NewItem> items;
  for (int i = 0; i < 1'300; ++i) {
    const bool is_rare = i % 100 == 0;
    items.push_back({.key = (is_rare ? "rare-" : "many-") + std::to_string(1'300 - i),
                     .category = i % 10 == 1 ? "tenth" : ""});
  }
  const JobId job = submit_items(items);
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "many-1").id}));
  const std::vector<Item> all = found({.job = job}, 500);
  ASSERT_EQ(all.size(), 1'300U);
  const auto is_many = [](const Item& item) { return item.key.starts_with("many-"); };
  EXPECT_EQ(found({.job = job, .key_prefix = "many-"}, 100), chosen(all, is_many));
  EXPECT_EQ(
      found({.job = job, .category = "tenth", .key_prefix = "many-"}, 7),
      chosen(all, [&](const Item& item) { return is_many(item) && item.category == "tenth"; }));
  EXPECT_EQ(found({.job = job, .state = ItemState::cancelled, .key_prefix = "many-"}).size(), 1U);
  EXPECT_EQ(found({.job = job, .key_prefix = "rare-"}).size(), 13U);

  expect_count(ItemFilter{.job = job}, tally_max, true);
  expect_count(ItemFilter{.job = job, .state = ItemState::active}, tally_max, true);
  expect_count(ItemFilter{.job = job, .key_prefix = "many-"}, tally_max, true);
  expect_count(ItemFilter{.job = job, .state = ItemState::active, .key_prefix = "many-"}, tally_max,
               true);
  expect_count(ItemFilter{.job = job, .category = "tenth"}, 130);
  expect_count(TaskFilter{.job = job}, tally_max, true);
  expect_count(TaskFilter{.job = job, .state = StateKind::ready}, tally_max, true);
  expect_count(TaskFilter{.job = job, .stage = first}, tally_max, true);
  expect_count(ItemFilter{.job = job, .after = all.back().id, .limit = 1}, tally_max, true);
}

TEST_P(Searches, count_exactly_up_to_the_limit) {
  std::vector<NewItem> items;
  for (std::uint32_t i = 0; i < tally_max; ++i) items.push_back({.key = "a" + std::to_string(i)});
  items.push_back({.key = "b", .category = "other"});
  const JobId job = submit_items(items);
  expect_count(ItemFilter{.job = job}, tally_max, true);
  expect_count(ItemFilter{.job = job, .key_prefix = "a"}, tally_max);
  EXPECT_EQ(found({.job = job, .key_prefix = "a"}, 300).size(), tally_max);
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "b").id}));
  expect_count(ItemFilter{.job = job, .state = ItemState::active}, tally_max);
  expect_count(ItemFilter{.job = job, .state = ItemState::cancelled}, 1);
  expect_count(TaskFilter{.job = job, .state = StateKind::ready}, tally_max);
  expect_count(TaskFilter{.job = job, .stage = first, .state = StateKind::ready}, tally_max);
  expect_count(TaskFilter{.job = job, .stage = first}, tally_max, true);
}

TEST_P(Searches, the_newest_event_is_the_last_one_of_the_whole_list) {
  EXPECT_EQ(*drive.records().last_event(), 0);
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x", "y"});
  for (int i = 0; i < 3; ++i) {
    drive.work_once(always(succeeded()));
    EXPECT_EQ(*drive.records().last_event(), events().back().seq);
  }
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  EXPECT_THAT(events({.after = *drive.records().last_event()}), IsEmpty());
}

}  // namespace
}  // namespace pawl::driving
