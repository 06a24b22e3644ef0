#include <array>

#include "postgres/schema.hpp"

namespace pawl::postgres {

namespace {

/// The tables and columns of the SQLite store (src/sqlite/migrations.cpp explains them) with
/// PostgreSQL's types. In addition: the writers, whose rows show whether an unknown commit was
/// applied, and the payloads.
///
/// Rows that every batch updates leave room in their pages, and none of their indexes contains a
/// column that the update changes: such an update stays within its page (HOT) and needs no vacuum
/// to be cheap. A task moves through partial indexes, which hold only the states that are searched
/// for: claims do not get slower with the history.
constexpr const char* everything = R"sql(
CREATE TABLE workflows (
  hash       TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  definition TEXT NOT NULL
);

CREATE TABLE jobs (
  id              BIGINT PRIMARY KEY,
  workflow_name   TEXT NOT NULL,
  workflow_hash   TEXT NOT NULL,
  key             TEXT,
  params          TEXT NOT NULL,
  labels          TEXT NOT NULL,
  budget          TEXT NOT NULL,
  tolerance       TEXT NOT NULL,
  parallel        BIGINT NOT NULL,
  priority        INTEGER NOT NULL,
  submitted_at    BIGINT NOT NULL,
  deadline_at     BIGINT NOT NULL,
  ended_at        BIGINT NOT NULL,
  submission_open INTEGER NOT NULL CHECK (submission_open IN (0, 1)),
  generation      BIGINT NOT NULL CHECK (generation > 0),
  paused          INTEGER NOT NULL CHECK (paused BETWEEN 0 AND 4),
  cancelled       INTEGER CHECK (cancelled BETWEEN 1 AND 6),
  reduce_ordinal  BIGINT NOT NULL,
  pass            INTEGER NOT NULL,
  first_ordinal   BIGINT NOT NULL,
  last_ordinal    BIGINT NOT NULL,
  counters        TEXT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500);
CREATE UNIQUE INDEX jobs_by_key ON jobs (workflow_name, key) WHERE key IS NOT NULL;
CREATE INDEX jobs_by_hash ON jobs (workflow_hash);
CREATE INDEX jobs_by_workflow ON jobs (workflow_name, id);
CREATE INDEX jobs_unended ON jobs (id) WHERE ended_at = 0;
CREATE INDEX jobs_by_deadline ON jobs (deadline_at)
  WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 AND cancelled IS NULL;

CREATE TABLE lane_groups (
  base        BIGINT PRIMARY KEY,
  job         BIGINT NOT NULL,
  category    TEXT COLLATE "C" NOT NULL,
  stage_count INTEGER NOT NULL CHECK (stage_count > 0)
);
CREATE UNIQUE INDEX lane_groups_by_category ON lane_groups (job, category);

CREATE TABLE items (
  id           BIGINT PRIMARY KEY,
  job          BIGINT NOT NULL,
  key          TEXT COLLATE "C" NOT NULL CHECK (key <> ''),
  state        INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
  cancelled    INTEGER CHECK (cancelled BETWEEN 1 AND 6),
  sinks_left   INTEGER NOT NULL CHECK (sinks_left >= 0),
  failed_tasks INTEGER NOT NULL CHECK (failed_tasks >= 0),
  adopted_from BIGINT NOT NULL,
  pass         INTEGER NOT NULL,
  submitted_at BIGINT NOT NULL,
  category     TEXT COLLATE "C" NOT NULL,
  data_sha256  TEXT NOT NULL,
  data         TEXT NOT NULL
);
CREATE UNIQUE INDEX items_by_key ON items (job, key);
CREATE INDEX items_by_state ON items (job, category, state, id);
CREATE INDEX items_cut_short ON items (job, id) WHERE state = 1 AND cancelled IS NOT NULL;

CREATE TABLE tasks (
  id               BIGINT PRIMARY KEY,
  job              BIGINT NOT NULL,
  item             BIGINT NOT NULL,
  lane             BIGINT NOT NULL,
  age              BIGINT NOT NULL,
  version          BIGINT NOT NULL CHECK (version > 0),
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
  satisfied        BIGINT,
  worker           BIGINT,
  opened_at        BIGINT,
  next_run_at      BIGINT,
  reason           INTEGER,
  discarded        INTEGER,
  children         BIGINT,
  children_open    BIGINT,
  children_failed  BIGINT,
  stands           INTEGER,
  edited_by        BIGINT,
  feedback         TEXT,
  parent           BIGINT,
  of_expansion     INTEGER,
  child_key        TEXT,
  child_data       TEXT,
  CHECK ((CASE state
    WHEN 0 THEN satisfied IS NOT NULL
    WHEN 1 THEN TRUE
    WHEN 2 THEN worker > 0 AND opened_at IS NOT NULL AND attempts > 0
    WHEN 3 THEN next_run_at IS NOT NULL
    WHEN 4 THEN reason BETWEEN 1 AND 5
    WHEN 5 THEN children >= 0 AND children_open BETWEEN 0 AND children
                AND children_failed BETWEEN 0 AND children
    WHEN 6 THEN stands IS NOT NULL AND edited_by IS NOT NULL
    WHEN 7 THEN reason BETWEEN 1 AND 2
    WHEN 8 THEN reason BETWEEN 1 AND 7 AND discarded IN (0, 1)
    WHEN 9 THEN reason BETWEEN 1 AND 6
    ELSE FALSE END) IS TRUE),
  CHECK (state = 2 OR worker IS NULL),
  CHECK ((parent IS NULL) = (child_key IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX tasks_ready ON tasks (lane, age, id) WHERE state = 1;
CREATE INDEX tasks_running ON tasks (worker, id) WHERE state = 2;
CREATE INDEX tasks_due ON tasks (next_run_at, id) WHERE state = 3;
CREATE INDEX tasks_failed ON tasks (job, discarded, id) WHERE state = 8;
CREATE INDEX tasks_failed_anywhere ON tasks (discarded, id) WHERE state = 8;
CREATE INDEX tasks_children ON tasks (parent, of_expansion, id) WHERE parent IS NOT NULL;

CREATE TABLE attempts (
  task                    BIGINT NOT NULL,
  number                  INTEGER NOT NULL CHECK (number > 0),
  epoch                   INTEGER NOT NULL,
  round                   INTEGER NOT NULL,
  cause                   INTEGER NOT NULL CHECK (cause BETWEEN 1 AND 8),
  worker                  BIGINT NOT NULL,
  ran                     INTEGER NOT NULL,
  opened_at               BIGINT NOT NULL,
  started_at              BIGINT NOT NULL,
  ended_at                BIGINT NOT NULL,
  result                  INTEGER NOT NULL CHECK (result BETWEEN 1 AND 9),
  verdict                 INTEGER CHECK (verdict BETWEEN 1 AND 3),
  cost_microusd           BIGINT NOT NULL,
  tokens                  BIGINT NOT NULL,
  failures_before         INTEGER NOT NULL,
  rejections_before       INTEGER NOT NULL,
  rate_limit_waits_before INTEGER NOT NULL,
  interruptions_before    INTEGER NOT NULL,
  epoch_attempts_before   INTEGER NOT NULL,
  attempts_cap            BIGINT,
  cancelled_by            INTEGER CHECK (cancelled_by BETWEEN 1 AND 6),
  graceful                INTEGER NOT NULL,
  decision                INTEGER NOT NULL CHECK (decision BETWEEN 1 AND 7),
  rule                    INTEGER NOT NULL CHECK (rule > 0),
  next_run_at             BIGINT NOT NULL,
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
);

CREATE TABLE reviews (
  id            BIGINT PRIMARY KEY,
  job           BIGINT NOT NULL,
  item          BIGINT NOT NULL,
  task          BIGINT NOT NULL,
  epoch         INTEGER NOT NULL,
  reason        INTEGER NOT NULL CHECK (reason BETWEEN 1 AND 5),
  attempt       INTEGER NOT NULL,
  digest        TEXT NOT NULL,
  opened_at     BIGINT NOT NULL,
  status        INTEGER NOT NULL CHECK (status BETWEEN 1 AND 4),
  claimed_by    TEXT,
  claimed_until BIGINT NOT NULL,
  outcome       INTEGER CHECK (outcome BETWEEN 1 AND 4),
  effective_at  BIGINT,
  answer        TEXT,
  closed_at     BIGINT NOT NULL,
  CHECK ((answer IS NULL) = (outcome IS NULL)),
  CHECK (status NOT IN (2, 3) OR outcome IS NOT NULL),
  CHECK (status <> 2 OR effective_at IS NOT NULL)
);
CREATE INDEX reviews_of_task ON reviews (task, id);
CREATE INDEX reviews_pending ON reviews (task, id) WHERE status < 3;
CREATE INDEX reviews_due ON reviews (effective_at, id) WHERE status = 2;
CREATE INDEX reviews_by_status ON reviews (status, id);
CREATE INDEX reviews_of_job ON reviews (job, status, id);

CREATE TABLE journal (
  row    BIGINT PRIMARY KEY,
  job    BIGINT NOT NULL,
  at     BIGINT NOT NULL,
  events TEXT NOT NULL
);
CREATE TABLE journal_zones (
  zone    BIGINT PRIMARY KEY,
  job_lo  BIGINT NOT NULL,
  job_hi  BIGINT NOT NULL,
  item_lo BIGINT NOT NULL,
  item_hi BIGINT NOT NULL
);

CREATE TABLE pools (
  name TEXT PRIMARY KEY,
  open BIGINT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500);

CREATE TABLE workers (
  id          BIGINT PRIMARY KEY,
  host        TEXT NOT NULL,
  pid         BIGINT NOT NULL,
  name        TEXT NOT NULL,
  started_at  BIGINT NOT NULL,
  lease       BIGINT NOT NULL,
  lease_until BIGINT NOT NULL,
  last_batch  BIGINT NOT NULL,
  retired     INTEGER NOT NULL CHECK (retired IN (0, 1)),
  gone        INTEGER NOT NULL CHECK (gone IN (0, 1))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500);
CREATE INDEX workers_present ON workers (id) WHERE gone = 0;

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value BIGINT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500);
INSERT INTO counters (name, value)
VALUES ('schema', 0), ('job', 1), ('ordinal', 1), ('lane', 1), ('review', 1), ('worker', 1),
       ('writer', 1), ('journal', 1);

CREATE TABLE rate_marks (
  pool       TEXT NOT NULL,
  number     BIGINT NOT NULL CHECK (number > 0),
  at         BIGINT NOT NULL,
  keep_until BIGINT NOT NULL,
  PRIMARY KEY (pool, number)
);

CREATE TABLE writers (
  id         BIGINT PRIMARY KEY,
  last_write BIGINT NOT NULL,
  used_at    BIGINT NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500);

CREATE TABLE payloads (
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  size   BIGINT NOT NULL
);
CREATE TABLE payload_pieces (
  sha256 TEXT COLLATE "C" NOT NULL,
  number INTEGER NOT NULL,
  bytes  BYTEA NOT NULL,
  PRIMARY KEY (sha256, number)
);
)sql";

/// See 004_trust_and_holdings of the SQLite store.
constexpr const char* trust_and_holdings = R"sql(
ALTER TABLE jobs ADD COLUMN trust INTEGER NOT NULL DEFAULT 0 CHECK (trust BETWEEN 0 AND 3);
ALTER TABLE jobs ADD COLUMN trusted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN trusted_at BIGINT NOT NULL DEFAULT 0;
UPDATE jobs SET trust = 1 WHERE labels LIKE '{"pawl.arriving":%';
ALTER TABLE workers ADD COLUMN holds_since BIGINT NOT NULL DEFAULT 0;
)sql";

/// See 005_rejections_and_limits of the SQLite store. No stored row can violate the wider ranges,
/// so none is read.
constexpr const char* rejections_and_limits = R"sql(
ALTER TABLE jobs DROP CONSTRAINT jobs_cancelled_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_cancelled_check
  CHECK (cancelled BETWEEN 1 AND 7) NOT VALID;
ALTER TABLE items DROP CONSTRAINT items_cancelled_check;
ALTER TABLE items ADD CONSTRAINT items_cancelled_check
  CHECK (cancelled BETWEEN 1 AND 7) NOT VALID;
ALTER TABLE items DROP CONSTRAINT items_state_check;
ALTER TABLE items ADD CONSTRAINT items_state_check CHECK (state BETWEEN 1 AND 5) NOT VALID;
ALTER TABLE attempts DROP CONSTRAINT attempts_cancelled_by_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_cancelled_by_check
  CHECK (cancelled_by BETWEEN 1 AND 7) NOT VALID;
ALTER TABLE tasks DROP CONSTRAINT tasks_check;
ALTER TABLE tasks ADD CONSTRAINT tasks_check CHECK ((CASE state
    WHEN 0 THEN satisfied IS NOT NULL
    WHEN 1 THEN TRUE
    WHEN 2 THEN worker > 0 AND opened_at IS NOT NULL AND attempts > 0
    WHEN 3 THEN next_run_at IS NOT NULL
    WHEN 4 THEN reason BETWEEN 1 AND 5
    WHEN 5 THEN children >= 0 AND children_open BETWEEN 0 AND children
                AND children_failed BETWEEN 0 AND children
    WHEN 6 THEN stands IS NOT NULL AND edited_by IS NOT NULL
    WHEN 7 THEN reason BETWEEN 1 AND 2
    WHEN 8 THEN reason BETWEEN 1 AND 7 AND discarded IN (0, 1)
    WHEN 9 THEN reason BETWEEN 1 AND 7
    ELSE FALSE END) IS TRUE) NOT VALID;
ALTER TABLE workers ADD COLUMN limits TEXT NOT NULL DEFAULT '';
)sql";

/// See 006_people_and_audit of the SQLite store. The counter is the lock of those who append to the
/// audit trail, whose entries are chained.
constexpr const char* people_and_audit = R"sql(
ALTER TABLE jobs ADD COLUMN submitted_by TEXT NOT NULL DEFAULT '';

ALTER TABLE reviews ADD COLUMN assigned TEXT;
ALTER TABLE reviews ADD COLUMN due_at BIGINT NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE reviews ADD COLUMN notice_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX reviews_by_due ON reviews (due_at, id) WHERE status < 3;
CREATE INDEX reviews_open_to_all ON reviews (due_at, id) WHERE status < 3 AND assigned IS NULL;
CREATE INDEX reviews_of_job_by_due ON reviews (job, due_at, id) WHERE status < 3;
CREATE INDEX reviews_claimed ON reviews (claimed_by, due_at, id)
  WHERE status = 1 AND claimed_by IS NOT NULL;
CREATE INDEX reviews_to_notice ON reviews (notice_at, id) WHERE status = 1 AND notice_at > 0;

CREATE TABLE review_queue (
  assignee TEXT COLLATE "C" NOT NULL,
  due      BIGINT NOT NULL,
  review   BIGINT NOT NULL,
  PRIMARY KEY (assignee, due, review)
);
CREATE INDEX review_queue_of_review ON review_queue (review);

CREATE TABLE review_answers (
  review   BIGINT NOT NULL,
  number   INTEGER NOT NULL CHECK (number > 0),
  by_kind  INTEGER NOT NULL CHECK (by_kind BETWEEN 1 AND 4),
  given_at BIGINT NOT NULL,
  fate     INTEGER NOT NULL CHECK (fate BETWEEN 1 AND 3),
  ended_at BIGINT NOT NULL,
  answer   TEXT NOT NULL,
  PRIMARY KEY (review, number)
);

CREATE TABLE people (
  name      TEXT COLLATE "C" PRIMARY KEY CHECK (name <> ''),
  role      INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
  member_of TEXT NOT NULL,
  added_at  BIGINT NOT NULL
);
CREATE TABLE tokens (
  number       BIGINT PRIMARY KEY,
  sha256       TEXT NOT NULL,
  name         TEXT COLLATE "C" NOT NULL,
  kind         INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3),
  role         INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
  worker_kinds TEXT NOT NULL,
  note         TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  revoked_at   BIGINT NOT NULL,
  used_at      BIGINT NOT NULL
);
CREATE UNIQUE INDEX tokens_by_digest ON tokens (sha256);
CREATE TABLE sessions (
  sha256     TEXT PRIMARY KEY,
  person     TEXT COLLATE "C" NOT NULL,
  at_most    INTEGER NOT NULL CHECK (at_most BETWEEN 1 AND 4),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_of_person ON sessions (person);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE audit (
  number        BIGINT PRIMARY KEY,
  at            BIGINT NOT NULL,
  actor         TEXT COLLATE "C" NOT NULL,
  kind          INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
  method        INTEGER NOT NULL CHECK (method BETWEEN 1 AND 5),
  address       TEXT NOT NULL,
  act           TEXT COLLATE "C" NOT NULL CHECK (act <> ''),
  job           BIGINT NOT NULL,
  target        TEXT NOT NULL,
  details       TEXT NOT NULL,
  note          TEXT NOT NULL,
  digest_before TEXT NOT NULL,
  digest_after  TEXT NOT NULL,
  origin        TEXT NOT NULL,
  digest        TEXT NOT NULL
);
CREATE INDEX audit_of_job ON audit (job, number);
CREATE INDEX audit_of_actor ON audit (actor, number);
CREATE INDEX audit_of_act ON audit (act, number);

INSERT INTO counters (name, value) VALUES ('audit', 1);
)sql";

constexpr std::array known{
    Migration{.name = "001_everything", .sql = everything},
    Migration{.name = "002_trust_and_holdings", .sql = trust_and_holdings},
    Migration{.name = "003_rejections_and_limits", .sql = rejections_and_limits},
    Migration{.name = "004_people_and_audit", .sql = people_and_audit},
};

}  // namespace

std::span<const Migration> migrations() { return known; }

}  // namespace pawl::postgres
