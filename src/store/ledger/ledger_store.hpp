#pragma once

/// What the stores have in common: every verb of `Store` is one transaction around the ledger.
/// A store derives from this class and supplies its rows and its transaction.

#include <functional>
#include <optional>
#include <span>
#include <variant>

#include "pawl/store/people.hpp"
#include "pawl/store/store.hpp"
#include "store/ledger/ledger.hpp"

namespace pawl::store {

/// A batch of steps, as `Store::commit` is given it.
struct StepBatch {
  WorkerId worker;
  BatchNumber number = 0;
  std::span<const Step> steps;
  const Refill* refill = nullptr;
};

/// What a transaction is about to read and write. A store may fetch it at once.
using Expected =
    std::variant<std::monostate, const AddItems*, const ClaimRequest*, const StepBatch*>;

class LedgerStore : public Store, public Receiver, public People {
 public:
  Result<WorkerId> enlist(const WorkerHello& hello) final;
  Status note_limits(WorkerId worker, const WorkerLimits& limits) final;
  Status retire(WorkerId worker) final;
  Result<Job> create_job(const NewJob& job) final;
  Result<Added> add_items(const AddItems& chunk) final;
  Result<Submitted> submit(const NewJob& job, const AddItems& items) final;
  Result<Claims> claim(const ClaimRequest& request) final;
  using Store::commit;
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) final;
  Result<Swept> sweep(const SweepRequest& request) final;
  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) final;
  Receiver& receiver() final { return *this; }
  Result<Arriving> receive(const Arrival& arrival) final;

  People& people() final { return *this; }
  Status change(const PeopleChange& change, const Actor& actor) final;
  Result<std::vector<Person>> all() final;
  Result<Person> person(std::string_view name) final;
  Result<std::vector<TokenRecord>> tokens() final;
  Result<TokenRecord> token(std::string_view sha256) final;
  Result<SessionRecord> session(std::string_view sha256) final;
  Status note_use(std::int64_t token) final;
  Result<Standing> standing(const Actor& actor) final;

 protected:
  using Body = std::function<Status(Rows& rows, Timestamp now)>;

  /// Runs the body in one write transaction and commits it. If the body returns an error or throws,
  /// nothing is written. A store may run the body again after a fault; only the last run counts.
  virtual Status transact(const Expected& expected, const Body& body) = 0;

  /// Reads people, tokens and sessions outside of a write transaction.
  virtual Status read_people(const std::function<void(PeopleRows& rows)>& body) = 0;

  /// What a sweep without anything to do returns, found without a write transaction; none: there is
  /// something to do, or only a transaction can tell.
  virtual Result<std::optional<Swept>> idle_sweep(const SweepRequest& request);

 private:
  [[nodiscard]] Status check_large_edits(const Act& act);
  template <class Answer, class Verb>
  Result<Answer> write(const Expected& expected, Verb verb);
  /// One read of people, tokens or sessions.
  template <class Read>
  auto look_up(Read read) -> Result<decltype(read(std::declval<PeopleRows&>()))>;
};

}  // namespace pawl::store
