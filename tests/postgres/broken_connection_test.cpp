/// The connection breaks at every point of every operation, before the server has seen the request
/// and after it has answered. Each operation takes effect once, and its answer is right.

#include <gmock/gmock.h>

#include "postgres/cutting_proxy.hpp"
#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using driving::stage;
using driving::workflow;
using Cut = CuttingProxy::Cut;

int port_of(const std::string& url) {
  const std::size_t at = url.rfind(':');
  return std::stoi(url.substr(at + 1));
}

std::string through(const PostgresPlace& place, const CuttingProxy& proxy) {
  std::string url = place.url();
  const std::string port = std::to_string(port_of(place.server()));
  return url.replace(url.find(":" + port), port.size() + 1, ":" + std::to_string(proxy.port()));
}

class BrokenConnections : public testing::TestWithParam<Cut> {
 protected:
  PostgresPlace place;
  CuttingProxy proxy{port_of(place.server())};
  std::shared_ptr<Store> store = must_open({.url = through(place, proxy)});
  std::shared_ptr<Store> witness = must_open({.url = place.url()});
  Workflow flow = workflow("w", {stage("first"), stage("second", {"first"})});

  /// Runs `verb` with the connection cut at its first piece, its second, … until there are no more.
  /// Returns how many cuts there were.
  template <class Prepare, class Verb, class Check>
  int at_every_piece(Prepare prepare, Verb verb, Check check) {
    for (int piece = 1;; ++piece) {
      SCOPED_TRACE("cut at piece " + std::to_string(piece));
      auto given = prepare();
      proxy.cut_at(piece, GetParam());
      auto answer = verb(given);
      const bool was_cut = proxy.has_cut();
      proxy.cut_at(0, GetParam());
      EXPECT_TRUE(answer) << (answer ? "" : answer.error().text());
      if (!answer) return piece;
      check(given, *answer);
      if (HasFailure() || !was_cut) return piece - 1;
      if (piece > 60) {
        ADD_FAILURE() << "there is no end to its pieces";
        return piece;
      }
    }
  }
  JobId submitted() {
    const std::vector<NewItem> items{{.key = "a"}, {.key = "b"}, {.key = "c"}};
    return store->submit({.workflow = flow}, {.items = items, .close = true})->job.id;
  }
  std::size_t jobs() { return witness->records().jobs({.limit = 1'000})->size(); }
};

// An unknown outcome is read back, neither lost nor doubled.
TEST_P(BrokenConnections, a_submission_is_made_once) {
  const std::vector<NewItem> items{{.key = "a"}, {.key = "b"}};
  const int cuts =
      at_every_piece([&] { return jobs(); },
                     [&](std::size_t) {
                       return store->submit({.workflow = flow}, {.items = items, .close = true});
                     },
                     [&](std::size_t before, const Submitted& done) {
                       EXPECT_EQ(jobs(), before + 1);
                       EXPECT_EQ(witness->records().items({.job = done.job.id})->size(), 2U);
                     });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, what_is_claimed_is_known_to_who_claimed_it) {
  const WorkerId worker = *store->enlist({.host = "h", .name = "w"});
  const int cuts = at_every_piece(
      [&] { return submitted(); },
      [&](JobId job) {
        ClaimRequest request = everything(*witness, worker);
        std::erase_if(request.shares, [&](const LaneShare& share) { return share.job != job; });
        return store->claim(request);
      },
      [&](JobId job, const Claims& claims) {
        EXPECT_EQ(claims.opened.size(), 3U);
        EXPECT_EQ(witness->records().job(job)->attempts_open, 3);
        for (const Claimed& one : claims.opened) {
          EXPECT_EQ(witness->records().task(one.task.id).value(), one.task);
        }
      });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, a_batch_is_written_once_and_its_answer_is_right) {
  const WorkerId worker = *store->enlist({.host = "h", .name = "w"});
  BatchNumber batch = 0;
  const int cuts = at_every_piece(
      [&] {
        const JobId job = submitted();
        ClaimRequest request = everything(*witness, worker);
        std::erase_if(request.shares, [&](const LaneShare& share) { return share.job != job; });
        return store->claim(request)->opened;
      },
      [&](const std::vector<Claimed>& claimed) {
        std::vector<Step> steps;
        for (const Claimed& one : claimed) {
          Step step = close(flow.stage(one.task.stage()), one.task, driving::succeeded());
          step.open_for = worker;
          step.open_max = 1;
          steps.push_back(std::move(step));
        }
        return store->commit(worker, ++batch, steps);
      },
      [&](const std::vector<Claimed>& claimed, const Committed& done) {
        ASSERT_EQ(done.steps.size(), claimed.size());
        for (std::size_t i = 0; i < claimed.size(); ++i) {
          EXPECT_EQ(done.steps[i].outcome, StepOutcome::applied);
          ASSERT_EQ(done.steps[i].opened.size(), 1U);
          const Task& next = done.steps[i].opened.front();
          EXPECT_EQ(witness->records().task(next.id).value(), next);
          EXPECT_EQ(witness->records().attempts(claimed[i].task.id)->size(), 1U);
        }
        EXPECT_EQ(witness->records().worker(worker)->last_batch, batch);
      });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, an_act_takes_effect_once) {
  const int cuts = at_every_piece(
      [&] { return submitted(); }, [&](JobId job) { return store->act(PauseJob{job}); },
      [&](JobId job, const Job& paused) {
        EXPECT_EQ(paused.paused, PauseCause::requested);
        EXPECT_EQ(witness->records().job(job)->generation, paused.generation);
        const auto events = *witness->records().events({.job = job, .limit = 100});
        EXPECT_EQ(std::ranges::count(events, EventType::job_paused, &Event::type), 1);
      });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, items_are_added_once) {
  const std::vector<NewItem> items{{.key = "a"}, {.key = "b"}};
  const int cuts = at_every_piece(
      [&] { return store->create_job({.workflow = flow})->id; },
      [&](JobId job) { return store->add_items({.job = job, .items = items, .close = true}); },
      [&](JobId job, const Added& added) {
        EXPECT_EQ(added.added, 2);
        const Job now = witness->records().job(job).value();
        EXPECT_EQ(now.items.total, 2);
        EXPECT_FALSE(now.submission_open);
        EXPECT_EQ(witness->records().items({.job = job})->size(), 2U);
      });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, what_a_sweep_takes_from_the_dead_it_takes_once) {
  const int cuts = at_every_piece(
      [&] {
        const JobId job = submitted();
        // Its lease expires at once.
        const WorkerId dead = *witness->enlist({.host = "h", .name = "dead", .lease = 1us});
        ClaimRequest request = everything(*witness, dead);
        std::erase_if(request.shares, [&](const LaneShare& share) { return share.job != job; });
        EXPECT_EQ(witness->claim(request)->opened.size(), 3U);
        return job;
      },
      [&](JobId) -> Result<Swept> {
        // The check before it is a read, which reports that it was cut.
        for (;;) {
          Result<Swept> swept = store->sweep({});
          if (swept || swept.error().code != ErrorCode::unavailable) return swept;
        }
      },
      [&](JobId job, const Swept&) {
        EXPECT_EQ(witness->records().job(job)->attempts_open, 0);
        const auto tasks = witness->records().tasks({.job = job});
        ASSERT_EQ(tasks->size(), 3U);
        for (const Task& task : *tasks) {
          EXPECT_EQ(task.kind(), StateKind::ready);
          EXPECT_EQ(witness->records().attempts(task.id)->size(), 1U) << "interrupted once";
        }
      });
  EXPECT_GE(cuts, 2);
  expect_sound(*witness);
}

TEST_P(BrokenConnections, a_worker_signs_on_once) {
  const auto workers = [&] { return witness->records().workers()->size(); };
  const int cuts = at_every_piece(
      workers, [&](std::size_t) { return store->enlist({.host = "h", .name = "w"}); },
      [&](std::size_t before, WorkerId worker) {
        EXPECT_EQ(workers(), before + 1);
        EXPECT_EQ(witness->records().worker(worker)->name, "w");
      });
  EXPECT_GE(cuts, 2);
}

/// A read that has begun is not repeated: it reports the error, and the next one is answered.
TEST_P(BrokenConnections, a_read_is_answered_or_says_that_it_was_not) {
  const JobId job = submitted();
  ASSERT_TRUE(store->records().job(job));
  for (int piece = 1; piece <= 4; ++piece) {
    proxy.cut_at(piece, GetParam());
    const auto read = store->records().job(job);
    EXPECT_TRUE(read || read.error().code == ErrorCode::unavailable) << read.error().text();
    proxy.cut_at(0, GetParam());
    const auto again = store->records().job(job);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->items.total, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Cuts, BrokenConnections, testing::Values(Cut::before, Cut::after),
                         [](const auto& tested) {
                           return tested.param == Cut::before ? "before" : "after";
                         });

TEST(BrokenConnection, every_backend_killed_between_the_verbs_stops_nobody) {
  const PostgresPlace place;
  const auto store = must_open({.url = place.url()});
  const Workflow flow = workflow("w", {stage("only")});
  const WorkerId worker = *store->enlist({.host = "h", .name = "w"});
  const std::vector<NewItem> items{{.key = "a"}};
  for (int round = 0; round < 5; ++round) {
    place.execute(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name LIKE 'pawl % " +
        place.schema() + "%'");
    const auto submitted = store->submit({.workflow = flow}, {.items = items, .close = true});
    ASSERT_TRUE(submitted) << submitted.error().text();
    EXPECT_TRUE(store->renew(worker));
    EXPECT_EQ(store->records().jobs({.limit = 100})->size(), static_cast<std::size_t>(round + 1));
  }
}

TEST(BrokenConnection, a_server_that_does_not_answer_is_an_error_in_time_and_no_loss) {
  const PostgresPlace place;
  const auto store = must_open({.url = place.url(), .answer_within = 300ms});
  const Workflow flow = workflow("w", {stage("only")});
  const std::vector<NewItem> items{{.key = "a"}};
  const JobId job = store->submit({.workflow = flow}, {.items = items, .close = true})->job.id;
  const std::unique_ptr<PGconn, decltype(&PQfinish)> holder(PQconnectdb(place.server().c_str()),
                                                            &PQfinish);
  const auto run = [&](const std::string& sql) { PQclear(PQexec(holder.get(), sql.c_str())); };
  run("BEGIN");
  run("SELECT 1 FROM " + place.schema() + ".jobs FOR UPDATE");
  const auto refused = store->act(PauseJob{job});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().text();
  EXPECT_EQ(store->records().job(job)->paused, PauseCause::none);
  run("ROLLBACK");
  EXPECT_TRUE(store->act(PauseJob{job}));
}

}  // namespace
}  // namespace pawl
