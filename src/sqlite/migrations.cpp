#include <array>

#include "sqlite/schema.hpp"

namespace pawl::sqlite {

namespace {

/// Times are microseconds since 1970, 0 for "not set". Enums are their stored numbers. The CHECKs
/// repeat the invariants of the model, so that no bug of ours writes nonsense silently.
///
/// The hot path of a step is one UPDATE and one INSERT of tasks, one INSERT of attempts and one of
/// journal. Every index on tasks is partial: a row is in it only while it is in a state that is
/// searched for.
///
/// Reads without an index of their own stay short in two ways. The row of a job has the range of
/// ordinals of its items and tasks. A row of journal_zones holds the smallest and the largest job
/// and item in each 1,024 rows of the journal. Items are processed in the order of their ids, so
/// only a few zones have to be read for one item.
constexpr const char* jobs_items_tasks_attempts = R"sql(
CREATE TABLE workflows (
  hash       TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  definition TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
  id              INTEGER PRIMARY KEY,
  workflow_name   TEXT NOT NULL,
  workflow_hash   TEXT NOT NULL,
  key             TEXT,
  params          TEXT NOT NULL,
  labels          TEXT NOT NULL,
  budget          TEXT NOT NULL,
  tolerance       TEXT NOT NULL,
  parallel        INTEGER NOT NULL,
  priority        INTEGER NOT NULL,
  submitted_at    INTEGER NOT NULL,
  deadline_at     INTEGER NOT NULL,
  ended_at        INTEGER NOT NULL,
  submission_open INTEGER NOT NULL CHECK (submission_open IN (0, 1)),
  generation      INTEGER NOT NULL CHECK (generation > 0),
  paused          INTEGER NOT NULL CHECK (paused BETWEEN 0 AND 4),
  cancelled       INTEGER CHECK (cancelled BETWEEN 1 AND 6),
  reduce_ordinal  INTEGER NOT NULL,
  pass            INTEGER NOT NULL,
  first_ordinal   INTEGER NOT NULL,
  last_ordinal    INTEGER NOT NULL,
  counters        TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_by_key ON jobs (workflow_name, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_by_hash ON jobs (workflow_hash);
CREATE INDEX jobs_unended ON jobs (id) WHERE ended_at = 0;
CREATE INDEX jobs_by_deadline ON jobs (deadline_at)
  WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 AND cancelled IS NULL;

CREATE TABLE lane_groups (
  base        INTEGER PRIMARY KEY,
  job         INTEGER NOT NULL,
  category    TEXT NOT NULL,
  stage_count INTEGER NOT NULL CHECK (stage_count > 0)
) STRICT;
CREATE UNIQUE INDEX lane_groups_by_category ON lane_groups (job, category);

CREATE TABLE items (
  id           INTEGER PRIMARY KEY,
  job          INTEGER NOT NULL,
  key          TEXT NOT NULL CHECK (key <> ''),
  state        INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
  cancelled    INTEGER CHECK (cancelled BETWEEN 1 AND 6),
  sinks_left   INTEGER NOT NULL CHECK (sinks_left >= 0),
  failed_tasks INTEGER NOT NULL CHECK (failed_tasks >= 0),
  adopted_from INTEGER NOT NULL,
  pass         INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  category     TEXT NOT NULL,
  data_sha256  TEXT NOT NULL,
  data         TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX items_by_key ON items (job, key);
CREATE INDEX items_failed ON items (job) WHERE state = 3;

CREATE TABLE tasks (
  id               INTEGER PRIMARY KEY,
  job              INTEGER NOT NULL,
  item             INTEGER NOT NULL,
  lane             INTEGER NOT NULL,
  age              INTEGER NOT NULL,
  version          INTEGER NOT NULL CHECK (version > 0),
  state            INTEGER NOT NULL,
  epoch            INTEGER NOT NULL,
  round            INTEGER NOT NULL,
  expansion        INTEGER NOT NULL,
  attempts         INTEGER NOT NULL,
  cause            INTEGER NOT NULL CHECK (cause BETWEEN 1 AND 8),
  failures         INTEGER NOT NULL,
  rejections       INTEGER NOT NULL,
  rate_limit_waits INTEGER NOT NULL,
  interruptions    INTEGER NOT NULL,
  epoch_attempts   INTEGER NOT NULL,
  satisfied        INTEGER,
  worker           INTEGER,
  opened_at        INTEGER,
  next_run_at      INTEGER,
  reason           INTEGER,
  discarded        INTEGER,
  children         INTEGER,
  children_open    INTEGER,
  children_failed  INTEGER,
  stands           INTEGER,
  edited_by        INTEGER,
  feedback         TEXT,
  parent           INTEGER,
  of_expansion     INTEGER,
  child_key        TEXT,
  child_data       TEXT,
  CHECK ((CASE state
    WHEN 0 THEN satisfied IS NOT NULL
    WHEN 1 THEN 1
    WHEN 2 THEN worker > 0 AND opened_at IS NOT NULL AND attempts > 0
    WHEN 3 THEN next_run_at IS NOT NULL
    WHEN 4 THEN reason BETWEEN 1 AND 5
    WHEN 5 THEN children >= 0 AND children_open BETWEEN 0 AND children
                AND children_failed BETWEEN 0 AND children
    WHEN 6 THEN stands IS NOT NULL AND edited_by IS NOT NULL
    WHEN 7 THEN reason BETWEEN 1 AND 2
    WHEN 8 THEN reason BETWEEN 1 AND 7 AND discarded IN (0, 1)
    WHEN 9 THEN reason BETWEEN 1 AND 6
    ELSE 0 END) IS TRUE),
  CHECK (state = 2 OR worker IS NULL),
  CHECK ((parent IS NULL) = (child_key IS NULL))
) STRICT;
-- With its state, which the planner asks for again, the index alone answers who is next.
CREATE INDEX tasks_ready ON tasks (lane, age, id, state) WHERE state = 1;
CREATE INDEX tasks_running ON tasks (worker, id) WHERE state = 2;
CREATE INDEX tasks_due ON tasks (next_run_at, id) WHERE state = 3;
CREATE INDEX tasks_failed ON tasks (job, id) WHERE state = 8;
CREATE INDEX tasks_children ON tasks (parent, of_expansion, id) WHERE parent IS NOT NULL;

CREATE TABLE attempts (
  task                    INTEGER NOT NULL,
  number                  INTEGER NOT NULL CHECK (number > 0),
  epoch                   INTEGER NOT NULL,
  round                   INTEGER NOT NULL,
  cause                   INTEGER NOT NULL CHECK (cause BETWEEN 1 AND 8),
  worker                  INTEGER NOT NULL,
  ran                     INTEGER NOT NULL,
  opened_at               INTEGER NOT NULL,
  started_at              INTEGER NOT NULL,
  ended_at                INTEGER NOT NULL,
  result                  INTEGER NOT NULL CHECK (result BETWEEN 1 AND 9),
  verdict                 INTEGER CHECK (verdict BETWEEN 1 AND 3),
  cost_microusd           INTEGER NOT NULL,
  tokens                  INTEGER NOT NULL,
  failures_before         INTEGER NOT NULL,
  rejections_before       INTEGER NOT NULL,
  rate_limit_waits_before INTEGER NOT NULL,
  interruptions_before    INTEGER NOT NULL,
  epoch_attempts_before   INTEGER NOT NULL,
  attempts_cap            INTEGER,
  cancelled_by            INTEGER CHECK (cancelled_by BETWEEN 1 AND 6),
  graceful                INTEGER NOT NULL,
  decision                INTEGER NOT NULL CHECK (decision BETWEEN 1 AND 7),
  rule                    INTEGER NOT NULL CHECK (rule > 0),
  next_run_at             INTEGER NOT NULL,
  next_cause              INTEGER NOT NULL,
  review_reason           INTEGER NOT NULL,
  fail_cause              INTEGER NOT NULL,
  cancel_cause            INTEGER NOT NULL,
  new_round               INTEGER NOT NULL,
  failures                INTEGER NOT NULL,
  rejections              INTEGER NOT NULL,
  rate_limit_waits        INTEGER NOT NULL,
  interruptions           INTEGER NOT NULL,
  epoch_attempts          INTEGER NOT NULL,
  decider                 TEXT,
  decision_reason         TEXT,
  verdict_reason          TEXT,
  error                   TEXT,
  feedback                TEXT,
  summary                 TEXT,
  artifacts               TEXT,
  output                  TEXT,
  PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviews (
  id            INTEGER PRIMARY KEY,
  job           INTEGER NOT NULL,
  item          INTEGER NOT NULL,
  task          INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  reason        INTEGER NOT NULL CHECK (reason BETWEEN 1 AND 5),
  attempt       INTEGER NOT NULL,
  digest        TEXT NOT NULL,
  opened_at     INTEGER NOT NULL,
  status        INTEGER NOT NULL CHECK (status BETWEEN 1 AND 4),
  claimed_by    TEXT,
  claimed_until INTEGER NOT NULL,
  outcome       INTEGER CHECK (outcome BETWEEN 1 AND 4),
  effective_at  INTEGER,
  answer        TEXT,
  closed_at     INTEGER NOT NULL,
  CHECK ((answer IS NULL) = (outcome IS NULL)),
  CHECK (status NOT IN (2, 3) OR outcome IS NOT NULL),
  CHECK (status <> 2 OR effective_at IS NOT NULL)
) STRICT;
CREATE INDEX reviews_of_task ON reviews (task);
CREATE INDEX reviews_pending ON reviews (job) WHERE status < 3;
CREATE INDEX reviews_due ON reviews (effective_at) WHERE status = 2;

CREATE TABLE journal (
  row    INTEGER PRIMARY KEY,
  job    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  events TEXT NOT NULL
) STRICT;
CREATE TABLE journal_zones (
  zone    INTEGER PRIMARY KEY,
  job_lo  INTEGER NOT NULL,
  job_hi  INTEGER NOT NULL,
  item_lo INTEGER NOT NULL,
  item_hi INTEGER NOT NULL
) STRICT;

CREATE TABLE pools (
  name TEXT PRIMARY KEY,
  open INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id          INTEGER PRIMARY KEY,
  host        TEXT NOT NULL,
  pid         INTEGER NOT NULL,
  name        TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  lease       INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  last_batch  INTEGER NOT NULL,
  retired     INTEGER NOT NULL CHECK (retired IN (0, 1)),
  gone        INTEGER NOT NULL CHECK (gone IN (0, 1))
) STRICT;
CREATE INDEX workers_present ON workers (id) WHERE gone = 0;

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('ordinal', 1), ('lane', 1), ('reopened', 0);
)sql";

/// The starts of attempts that a rate limit counts, numbered within their pool. The numbers are
/// used to find the count-th newest and to delete old ones.
constexpr const char* rate_marks = R"sql(
CREATE TABLE rate_marks (
  pool       TEXT NOT NULL,
  number     INTEGER NOT NULL CHECK (number > 0),
  at         INTEGER NOT NULL,
  keep_until INTEGER NOT NULL,
  PRIMARY KEY (pool, number)
) STRICT, WITHOUT ROWID;
)sql";

/// Every list for operators uses an index, whatever the filter, in the order of the ids, however
/// many rows are of finished work. No step of a task writes to these indexes: an item does when it
/// is added and when it settles, a task when it fails, a review when its status changes.
///
/// The index on jobs holds only the name. It never changes, so the update of a job row in every
/// transaction does not touch the index.
constexpr const char* lists_by_index = R"sql(
CREATE INDEX jobs_by_workflow ON jobs (workflow_name);

DROP INDEX items_failed;
CREATE INDEX items_by_state ON items (job, category, state);
CREATE INDEX items_cut_short ON items (job) WHERE state = 1 AND cancelled IS NOT NULL;

DROP INDEX tasks_failed;
CREATE INDEX tasks_failed ON tasks (job, discarded) WHERE state = 8;
CREATE INDEX tasks_failed_anywhere ON tasks (discarded) WHERE state = 8;

DROP INDEX reviews_pending;
CREATE INDEX reviews_pending ON reviews (task) WHERE status < 3;
CREATE INDEX reviews_by_status ON reviews (status);
CREATE INDEX reviews_of_job ON reviews (job, status);
)sql";

/// Whether an imported job was accepted, by whom and when. Jobs of older stores count as the
/// store's own, whether they were imported or not: their operators have worked on them already. A
/// job that is still being imported is not trusted. Also what a worker reports that it holds,
/// beside what the tasks say (`WorkerRecord::holds_since`).
constexpr const char* trust_and_holdings = R"sql(
ALTER TABLE jobs ADD COLUMN trust INTEGER NOT NULL DEFAULT 0 CHECK (trust BETWEEN 0 AND 3);
ALTER TABLE jobs ADD COLUMN trusted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN trusted_at INTEGER NOT NULL DEFAULT 0;
UPDATE jobs SET trust = 1 WHERE labels LIKE '{"pawl.arriving":%';
ALTER TABLE workers ADD COLUMN holds_since INTEGER NOT NULL DEFAULT 0;
)sql";

/// Items may end as rejected, for a cause of that name. SQLite has no statement that changes a
/// CHECK. This is the way its documentation describes for changes that no stored row can violate;
/// the new column makes other connections read the schema again. It holds what a worker leaves to
/// others (`WorkerRecord::limits`).
constexpr const char* rejections_and_limits = R"sql(
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'cancelled BETWEEN 1 AND 6', 'cancelled BETWEEN 1 AND 7')
  WHERE type = 'table' AND name IN ('jobs', 'items');
UPDATE sqlite_schema SET sql = replace(sql, 'state BETWEEN 1 AND 4', 'state BETWEEN 1 AND 5')
  WHERE type = 'table' AND name = 'items';
UPDATE sqlite_schema SET sql = replace(sql, 'WHEN 9 THEN reason BETWEEN 1 AND 6',
                                            'WHEN 9 THEN reason BETWEEN 1 AND 7')
  WHERE type = 'table' AND name = 'tasks';
UPDATE sqlite_schema SET sql = replace(sql, 'cancelled_by BETWEEN 1 AND 6', 'cancelled_by BETWEEN 1 AND 7')
  WHERE type = 'table' AND name = 'attempts';
PRAGMA writable_schema = RESET;
ALTER TABLE workers ADD COLUMN limits TEXT NOT NULL DEFAULT '';
)sql";

/// People: who they are, what they are asked, what they answered and what they did.
///
/// A review that is never due has the largest number as its due time, so that the order of the
/// column is the order in which reviews are listed. Lists of pending reviews have an index for each
/// question that people ask. Those of a person and of their groups are the rows of review_queue:
/// one for each assignee of a pending review. Nothing here is on the path of a step that asks
/// nobody.
constexpr const char* people_and_audit = R"sql(
ALTER TABLE jobs ADD COLUMN submitted_by TEXT NOT NULL DEFAULT '';

ALTER TABLE reviews ADD COLUMN assigned TEXT;
ALTER TABLE reviews ADD COLUMN due_at INTEGER NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE reviews ADD COLUMN notice_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX reviews_by_due ON reviews (due_at) WHERE status < 3;
CREATE INDEX reviews_open_to_all ON reviews (due_at) WHERE status < 3 AND assigned IS NULL;
CREATE INDEX reviews_of_job_by_due ON reviews (job, due_at) WHERE status < 3;
CREATE INDEX reviews_claimed ON reviews (claimed_by, due_at)
  WHERE status = 1 AND claimed_by IS NOT NULL;
CREATE INDEX reviews_to_notice ON reviews (notice_at) WHERE status = 1 AND notice_at > 0;

CREATE TABLE review_queue (
  assignee TEXT NOT NULL,
  due      INTEGER NOT NULL,
  review   INTEGER NOT NULL,
  PRIMARY KEY (assignee, due, review)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_queue_of_review ON review_queue (review);

CREATE TABLE review_answers (
  review   INTEGER NOT NULL,
  number   INTEGER NOT NULL CHECK (number > 0),
  by_kind  INTEGER NOT NULL CHECK (by_kind BETWEEN 1 AND 4),
  given_at INTEGER NOT NULL,
  fate     INTEGER NOT NULL CHECK (fate BETWEEN 1 AND 3),
  ended_at INTEGER NOT NULL,
  answer   TEXT NOT NULL,
  PRIMARY KEY (review, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
  name      TEXT PRIMARY KEY CHECK (name <> ''),
  role      INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
  member_of TEXT NOT NULL,
  added_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
  number       INTEGER PRIMARY KEY,
  sha256       TEXT NOT NULL,
  name         TEXT NOT NULL,
  kind         INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3),
  role         INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
  worker_kinds TEXT NOT NULL,
  note         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  revoked_at   INTEGER NOT NULL,
  used_at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX tokens_by_digest ON tokens (sha256);
CREATE TABLE sessions (
  sha256     TEXT PRIMARY KEY,
  person     TEXT NOT NULL,
  at_most    INTEGER NOT NULL CHECK (at_most BETWEEN 1 AND 4),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_person ON sessions (person);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE audit (
  number        INTEGER PRIMARY KEY,
  at            INTEGER NOT NULL,
  actor         TEXT NOT NULL,
  kind          INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
  method        INTEGER NOT NULL CHECK (method BETWEEN 1 AND 5),
  address       TEXT NOT NULL,
  act           TEXT NOT NULL CHECK (act <> ''),
  job           INTEGER NOT NULL,
  target        TEXT NOT NULL,
  details       TEXT NOT NULL,
  note          TEXT NOT NULL,
  digest_before TEXT NOT NULL,
  digest_after  TEXT NOT NULL,
  origin        TEXT NOT NULL,
  digest        TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_job ON audit (job);
CREATE INDEX audit_of_actor ON audit (actor);
CREATE INDEX audit_of_act ON audit (act);
)sql";

constexpr std::array known{
    Migration{.name = "001_jobs_items_tasks_attempts", .sql = jobs_items_tasks_attempts},
    Migration{.name = "002_rate_marks", .sql = rate_marks},
    Migration{.name = "003_lists_by_index", .sql = lists_by_index},
    Migration{.name = "004_trust_and_holdings", .sql = trust_and_holdings},
    Migration{.name = "005_rejections_and_limits", .sql = rejections_and_limits},
    Migration{.name = "006_people_and_audit", .sql = people_and_audit},
};

}  // namespace

std::span<const Migration> migrations() { return known; }

}  // namespace pawl::sqlite
