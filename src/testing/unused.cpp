/// Finds scripted answers that were never used. Otherwise a misspelt item would go unnoticed.

#include <algorithm>

#include "pawl/store/each_row.hpp"
#include "testing/backstage.hpp"

namespace pawl::testing {

namespace {

/// The most names that are searched for a similar one.
constexpr std::size_t names_max = 10'000;

/// One unused answer: a sentence about it, and the item that it names; empty: none.
struct Vain {
  std::string sentence;
  std::string item;
};

template <class Said>
void add(std::vector<Vain>& all, const std::string& who, const Said& in_vain) {
  for (const auto& one : in_vain) {
    std::string sentence = who;
    if (one.attempt) {
      sentence += " has an answer for attempt " + std::to_string(*one.attempt);
      if (!one.item.empty()) sentence += " of item '" + one.item + "'";
    } else {
      sentence += " names item '" + one.item + "'";
    }
    all.push_back({.sentence = sentence + ", which never came up", .item = one.item});
  }
}

/// All jobs of the store, newest first.
std::vector<JobId> jobs_of(Records& records) {
  std::vector<JobId> all;
  JobFilter filter{.limit = 500};
  for (;;) {
    const auto page = must(records.jobs(filter));
    for (const Job& job : page) all.push_back(job.id);
    if (page.size() < filter.limit) return all;
    filter.before = page.back().id;
  }
}

}  // namespace

std::vector<std::string> World::Backstage::unused(bool all) {
  std::vector<Vain> vain;
  for (const auto& [stage, script] : scripts) {
    add(vain, "the script of stage '" + stage + "'", script.said_in_vain());
  }
  for (const auto& [named, script] : gates) {
    add(vain, "the script of gate '" + named.second + "' of stage '" + named.first + "'",
        script.said_in_vain());
  }
  for (const auto& [stage, reviewer] : reviewers) {
    const std::string of = stage.empty() ? "" : " of stage '" + stage + "'";
    add(vain, "reviewer '" + reviewer.name() + "'" + of, reviewer.said_in_vain());
  }
  for (const Trap& trap : traps) {
    std::string sentence = std::string("a crash ") + (trap.before ? "before" : "after");
    if (trap.attempt != 0) sentence += " attempt " + std::to_string(trap.attempt) + " of";
    sentence += " stage '" + trap.stage + "'";
    if (!trap.item.empty()) sentence += " of item '" + trap.item + "'";
    vain.push_back({.sentence = sentence + " never happened", .item = trap.item});
  }
  if (vain.empty()) return {};

  const std::vector<JobId> jobs = jobs_of(store->records());
  const auto is_there = [&](const std::string& item) {
    return std::ranges::any_of(jobs, [&](JobId job) {
      return store->records().item(job, item) ||
             store->records().item(job, item.substr(0, item.find('/')));
    });
  };
  std::vector<std::string> known;
  const auto know = [&] {
    for (const Call& call : calls) {
      if (known.size() < names_max) known.push_back(call.item);
    }
    for (const JobId job : jobs) {
      must(each_row(store->records(), ItemFilter{.job = job, .limit = 500}, [&](const Item& item) {
        known.push_back(item.key);
        return known.size() < names_max;
      }));
    }
  };

  std::vector<std::string> told;
  for (const Vain& one : vain) {
    const bool names_nobody = !one.item.empty() && !is_there(one.item);
    if (!all && !names_nobody) continue;
    if (known.empty()) know();
    const std::string near = one.item.empty() ? "" : nearest_name(one.item, known);
    const bool helps = !near.empty() && near != one.item;
    told.push_back(one.sentence + (helps ? "; did you mean '" + near + "'?" : ""));
  }
  return told;
}

void World::Backstage::check_used() {
  if (!options.minds_unused) return;
  const bool is_over = must(store->records().jobs({.ended = false, .limit = 1})).empty();
  std::string all;
  for (const std::string& one : unused(is_over)) all += (all.empty() ? "" : "\n") + one;
  if (!all.empty()) wrong(all);
}

}  // namespace pawl::testing
