#include <utility>

#include "service/work/bulk_acts.hpp"
#include "service/work/engine_store.hpp"
#include "views/dead_letters.hpp"

namespace pawl::service {

OperationWork work_on_letters(Engine& engine, LetterVerb verb, DeadLetterSelection selection,
                              std::string note, Actor by) {
  return [&engine, verb, selection = std::move(selection), note = std::move(note),
          by = std::move(by)](OperationProgress& progress) -> Status {
    EngineStore store(engine);
    const DeadLetterOrder order{.by = by.name, .note = note, .actor = by, .goes_on = [&progress] {
                                  return progress.goes_on();
                                }};
    const auto hear = [&](const DeadLetterAnswer& answer) {
      if (!answer.refusal) {
        progress.did();
        return;
      }
      progress.refused(views::letter_id(store.records(), answer), *answer.refusal);
    };
    const Result<DeadLetterTally> tally = verb(store, selection, order, hear);
    if (!tally) return std::unexpected(tally.error());
    return {};
  };
}

}  // namespace pawl::service
