#pragma once

/// Stores that must not differ: every operation runs on all of them, and their answers, errors
/// included, are compared with those of the first. Reads go to the first.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "contract/snapshot.hpp"
#include "pawl/store/people.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::driving {

class MirroredStore final : public store::ForwardingStore {
 public:
  struct Mirror {
    std::string name;
    std::shared_ptr<Store> store;
  };

  MirroredStore(std::shared_ptr<Store> first, std::vector<Mirror> mirrors)
      : store::ForwardingStore(std::move(first)), mirrors_(std::move(mirrors)) {}
  // Its people refer to it.
  MirroredStore(const MirroredStore&) = delete;
  MirroredStore& operator=(const MirroredStore&) = delete;

  /// All rows are the same everywhere, and every invariant holds on them.
  void compare() {
    const Snapshot expected = snapshot_of(inner());
    expect_clean(inner().records(), "the first");
    for (const Mirror& mirror : mirrors_) {
      SCOPED_TRACE(mirror.name);
      expect_same(expected, snapshot_of(*mirror.store));
      expect_clean(mirror.store->records(), mirror.name.c_str());
    }
  }

  Result<WorkerId> enlist(const WorkerHello& hello) override {
    return all([&](Store& store) { return store.enlist(hello); }, std::equal_to<>());
  }
  using Store::renew;
  Status renew(WorkerId worker, Timestamp holds_since) override {
    return all([&](Store& store) { return store.renew(worker, holds_since); });
  }
  Status note_limits(WorkerId worker, const WorkerLimits& limits) override {
    return all([&](Store& store) { return store.note_limits(worker, limits); });
  }
  Status retire(WorkerId worker) override {
    return all([&](Store& store) { return store.retire(worker); });
  }
  Result<Job> create_job(const NewJob& job) override {
    return all([&](Store& store) { return store.create_job(job); }, std::equal_to<>());
  }
  Result<Added> add_items(const AddItems& chunk) override {
    return all([&](Store& store) { return store.add_items(chunk); }, same_added);
  }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return all([&](Store& store) { return store.submit(job, items); },
               [](const Submitted& a, const Submitted& b) {
                 return a.job == b.job && same_added(a.items, b.items);
               });
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    return all([&](Store& store) { return store.claim(request); }, same_claims);
  }
  using store::ForwardingStore::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    return all([&](Store& store) { return store.commit(worker, batch, steps, refill); },
               same_commit);
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    return all([&](Store& store) { return store.sweep(request); }, same_sweep);
  }
  using store::ForwardingStore::act;
  Result<Job> act(const Act& act, const Actor& actor) override {
    return all([&](Store& store) { return store.act(act, actor); }, std::equal_to<>());
  }
  People& people() override { return people_; }

 private:
  /// Changes go to all stores, reads to the first.
  class MirroredPeople final : public People {
   public:
    explicit MirroredPeople(MirroredStore& owner) : owner_(owner) {}
    Status change(const PeopleChange& change, const Actor& actor) override {
      return owner_.all([&](Store& store) { return store.people().change(change, actor); });
    }
    Status note_use(std::int64_t token) override {
      return owner_.all([&](Store& store) { return store.people().note_use(token); });
    }
    Result<std::vector<Person>> all() override { return first().all(); }
    Result<Person> person(std::string_view name) override { return first().person(name); }
    Result<std::vector<TokenRecord>> tokens() override { return first().tokens(); }
    Result<TokenRecord> token(std::string_view sha256) override { return first().token(sha256); }
    Result<SessionRecord> session(std::string_view sha256) override {
      return first().session(sha256);
    }
    Result<Standing> standing(const Actor& actor) override { return first().standing(actor); }

   private:
    People& first() { return owner_.inner().people(); }

    MirroredStore& owner_;
  };

  template <class Verb, class Same = std::nullptr_t>
  auto all(Verb verb, Same same = {}) -> decltype(verb(std::declval<Store&>())) {
    auto one = verb(inner());
    for (const Mirror& mirror : mirrors_) {
      SCOPED_TRACE(mirror.name);
      const auto two = verb(*mirror.store);
      EXPECT_EQ(one.has_value(), two.has_value())
          << "the first: " << (one ? "done" : one.error().text()) << "\n"
          << mirror.name << ": " << (two ? "done" : two.error().text());
      if (!one && !two) {
        EXPECT_EQ(one.error().code, two.error().code);
        const bool about_worker = one.error().message.starts_with("no worker");
        EXPECT_TRUE(about_worker || one.error().text() == two.error().text())
            << "the first: " << one.error().text() << "\n"
            << mirror.name << ": " << two.error().text();
      }
      if constexpr (!std::is_same_v<Same, std::nullptr_t>) {
        EXPECT_TRUE(!one || !two || same(*one, *two)) << "the answers differ";
      }
    }
    return one;
  }

  static bool same_tasks(const std::vector<Claimed>& one, const std::vector<Claimed>& two) {
    return std::ranges::equal(one, two, [](const Claimed& a, const Claimed& b) {
      return a.task == b.task && a.item_key == b.item_key && a.category == b.category &&
             a.data == b.data;
    });
  }
  static bool same_added(const Added& one, const Added& two) {
    return one.added == two.added && one.present == two.present && one.adopted == two.adopted &&
           same_tasks(one.opened, two.opened);
  }
  static bool same_claims(const Claims& one, const Claims& two) {
    const auto same_rate = [](const Claims::HeldRate& a, const Claims::HeldRate& b) {
      return a.pool == b.pool && a.until == b.until;
    };
    return same_tasks(one.opened, two.opened) && same_tasks(one.conditional, two.conditional) &&
           one.refused == two.refused && one.next_open == two.next_open &&
           std::ranges::equal(one.held_rates, two.held_rates, same_rate);
  }
  static bool same_commit(const Committed& one, const Committed& two) {
    const auto same_step = [](const StepAnswer& a, const StepAnswer& b) {
      return a.outcome == b.outcome && a.opened == b.opened && a.made_ready == b.made_ready;
    };
    const auto same_mark = [](const JobMark& a, const JobMark& b) {
      return a.job == b.job && a.generation == b.generation && a.state == b.state;
    };
    return std::ranges::equal(one.steps, two.steps, same_step) &&
           std::ranges::equal(one.jobs, two.jobs, same_mark) && one.is_short == two.is_short &&
           same_claims(one.claims, two.claims);
  }
  /// The next due time is compared only if the sweep changed nothing: a job that it ended may still
  /// show its deadline, which costs one idle check.
  static bool same_sweep(const Swept& one, const Swept& two) {
    const bool is_idle =
        one.woken + one.interrupted + one.answered + one.noticed + one.ended_jobs == 0;
    return one.woken == two.woken && one.interrupted == two.interrupted &&
           one.answered == two.answered && one.noticed == two.noticed &&
           one.ended_jobs == two.ended_jobs && one.more == two.more &&
           (!is_idle || one.more || one.next_due == two.next_due);
  }

  std::vector<Mirror> mirrors_;
  MirroredPeople people_{*this};
};

}  // namespace pawl::driving
