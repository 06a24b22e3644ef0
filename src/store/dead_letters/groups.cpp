// Groups of dead letters that failed in the same way.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "store/dead_letters/reader.hpp"
#include "store/dead_letters/signature_memory.hpp"

namespace pawl {

using namespace store;

namespace {

using GroupKey = std::tuple<std::string, std::string, std::string>;  // signature, workflow, stage

void add(DeadLetterGroup& group, const DeadLetter& letter) {
  group.first = group.count == 0 ? letter.failed_at : std::min(group.first, letter.failed_at);
  group.last = std::max(group.last, letter.failed_at);
  ++group.count;
  if (group.examples.size() < dead_letter_examples_max) group.examples.push_back(letter.task);
}

/// Completes what a group needs of the letter. `memory` may be null.
Status complete(DeadLetterReader& reader, DeadLetter& letter, SignatureMemory* memory) {
  if (memory == nullptr) return reader.complete(letter);
  if (std::optional<SignatureMemory::Failure> known = memory->find(letter)) {
    letter.signature = std::move(known->signature);
    letter.failed_at = known->failed_at;
    return {};
  }
  if (Status read = reader.complete(letter); !read) return read;
  memory->add(letter);
  return {};
}

Result<DeadLetterAnalysis> analyse(Store& store, const DeadLetterQuery& query,
                                   SignatureMemory* memory) {
  DeadLetterAnalysis analysis;
  std::map<GroupKey, DeadLetterGroup> groups;
  DeadLetterQuery whole = query;
  whole.after = TaskId{};
  DeadLetterReader reader(store);
  Status known;
  const Status read = reader.each(whole, DeadLetterReader::Want::row, [&](DeadLetter& letter) {
    known = complete(reader, letter, memory);
    if (!known) return false;
    // Its item was deleted after its task was read.
    if (letter.failed_at == no_time && !store.records().task(letter.task)) return true;
    const Result<Workflow> workflow = reader.workflow_of(letter.job);
    if (!workflow) {
      known = std::unexpected(workflow.error());
      return false;
    }
    ++analysis.letters;
    GroupKey key{letter.signature, workflow->name(), letter.stage};
    auto place = groups.find(key);
    if (place == groups.end()) {
      if (groups.size() >= dead_letter_groups_max) {
        ++analysis.ungrouped;
        return true;
      }
      place = groups.emplace(std::move(key), DeadLetterGroup{}).first;
    }
    add(place->second, letter);
    return true;
  });
  if (!read) return std::unexpected(read.error());
  if (!known) return std::unexpected(known.error());
  analysis.is_cut = static_cast<bool>(reader.cut_at());

  for (auto& [key, group] : groups) {
    std::tie(group.signature, group.workflow, group.stage) = key;
    group.filter = "signature = " + quoted_for_filter(group.signature) +
                   " and stage = " + quoted_for_filter(group.stage);
    analysis.groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(analysis.groups, std::ranges::greater{}, &DeadLetterGroup::count);
  return analysis;
}

}  // namespace

Result<DeadLetterAnalysis> analyse_dead_letters(Store& store, const DeadLetterQuery& query) {
  return analyse(store, query, nullptr);
}

namespace store {

Result<DeadLetterAnalysis> analyse_dead_letters(Store& store, const DeadLetterQuery& query,
                                                SignatureMemory& memory) {
  return analyse(store, query, &memory);
}

std::optional<SignatureMemory::Failure> SignatureMemory::find(const DeadLetter& letter) {
  const std::lock_guard lock(mutex_);
  const auto known = letters_.find(letter.task);
  if (known == letters_.end()) return std::nullopt;
  const Known& failure = known->second;
  if (failure.attempts != letter.attempts || failure.cause != letter.cause) return std::nullopt;
  return Failure{.signature = *failure.signature, .failed_at = failure.failed_at};
}

void SignatureMemory::add(const DeadLetter& letter) {
  const std::lock_guard lock(mutex_);
  if (letters_.size() >= letters_max || signatures_.size() >= signatures_max) {
    letters_.clear();
    signatures_.clear();
  }
  letters_[letter.task] = {.attempts = letter.attempts,
                           .cause = letter.cause,
                           .failed_at = letter.failed_at,
                           .signature = &*signatures_.insert(letter.signature).first};
}

}  // namespace store
}  // namespace pawl
