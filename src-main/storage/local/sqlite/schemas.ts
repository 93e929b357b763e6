import { makeEventLogConsistent, makeHistoryConsistent, makeKnowledgeConsistent } from './consistency.ts'
import type { DatabaseSchema } from './own-database.ts'

/**
 * Accepted events and workflow runs. `synchronous = FULL`: what is committed survives a loss of power.
 *
 * - `events_by_connection` needs no second column: SQLite appends the row's key, seq, to every index entry. The indexes
 *   of runs get their id in the same way.
 * - Names and text are found by the derived index (text-index.ts): an index by name here took as much time in each
 *   commit as all the rest of it.
 * - Without auto_vacuum: it made each insert 5 to 20 % slower, and SQLite reuses the pages that pruning frees. So the
 *   file keeps its largest size, also in a backup.
 * - A large log is not checked at the start, because that reads the whole file. repair.ts repairs damage that is found then
 *   or later.
 * - `runs.steps` holds the steps of a run that had ended when it was stored, as JSON: rows of `run_steps` took half of the
 *   time of its commit. They become rows when the run is retried.
 * - Each index of runs takes 5 to 10 % of the time of an event with its run. So there is none by state alone or by
 *   connection: lists merge the runs of each workflow by `runs_by_workflow`, which also has all that the figures of a
 *   workflow read. And `runs_by_event` leaves out the runs with an id just above their event's, within 16 ms: run-reader.ts finds them by id.
 * - `run_texts` has the texts that several runs of an event share (shared-texts.ts). The triggers delete each with its last run.
 * - `fan_outs` has the events that start many workflows, with the data of their runs, because retention may delete the event
 *   before (fan-outs.ts). `passed` has, for each workflow of a list, the last record whose run is stored.
 * - `kept_keys` has the keys of `DeduplicationKey`, those of one group side by side in their index: digests alone would put
 *   each key of an event with 200 of them on a page of its own. `grouped` is 1 for a key alone, and 0 for keys of earlier
 *   versions, whose group is not known. `run` is the number of the event for the key of one, or null. The row of an event that is a
 *   duplicate names the run in `duplicate_of`.
 * - Columns of type ANY hold the texts of stored-text.ts. run-rows.ts numbers the states of runs.
 */
export const eventLogSchema: DatabaseSchema = {
  name: 'event log',
  makeConsistent: makeEventLogConsistent,
  pragmas: `
  PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
  PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 67108864`,
  migrations: [
    `
  CREATE TABLE connections (
    id INTEGER PRIMARY KEY,
    key ANY NOT NULL UNIQUE,
    hidden_up_to INTEGER NOT NULL DEFAULT -1
  ) STRICT;
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    connection INTEGER NOT NULL,
    name ANY NOT NULL,
    received_at INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    replay_of ANY,
    headers ANY NOT NULL,
    body ANY NOT NULL
  ) STRICT;
  CREATE INDEX events_by_connection ON events (connection);
  CREATE TABLE log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    identity TEXT NOT NULL,
    newest_seq INTEGER NOT NULL,
    probes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO log VALUES (1, lower(hex(randomblob(16))), -1, 0);
  `,
    `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    workflow TEXT NOT NULL,
    workspace TEXT NOT NULL,
    connection TEXT NOT NULL,
    event INTEGER,
    lane TEXT NOT NULL,
    state INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    error ANY,
    summary ANY NOT NULL,
    data ANY
  ) STRICT;
  CREATE INDEX runs_due ON runs (lane, state, due_at) WHERE state < 2;
  CREATE INDEX runs_leased ON runs (due_at) WHERE state = 2;
  CREATE INDEX runs_by_workflow ON runs (workflow, state);
  CREATE INDEX runs_by_connection ON runs (connection, state);
  CREATE INDEX runs_by_state ON runs (state);
  CREATE TABLE run_steps (
    run INTEGER NOT NULL,
    path ANY NOT NULL,
    type TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    error ANY,
    call TEXT,
    input ANY,
    output ANY,
    is_cut INTEGER NOT NULL,
    absent ANY NOT NULL,
    PRIMARY KEY (run, path, attempt)
  ) STRICT;
  `,
    `
  CREATE INDEX runs_by_event ON runs (event) WHERE event IS NOT NULL;
  CREATE INDEX runs_ended ON runs (workflow, ended_at, state, started_at) WHERE ended_at IS NOT NULL;
  `,
    `
  ALTER TABLE runs ADD COLUMN steps ANY;
  `,
    `
  DROP INDEX runs_ended;
  CREATE INDEX runs_ended ON runs (lane, ended_at, state, started_at) WHERE ended_at IS NOT NULL;
  `,
    `
  DROP INDEX runs_by_state;
  `,
    `
  DROP INDEX runs_by_event;
  DROP INDEX runs_ended;
  DROP INDEX runs_by_workflow;
  CREATE INDEX runs_by_event ON runs (event) WHERE id NOT BETWEEN event AND event + 16383;
  CREATE INDEX runs_by_workflow ON runs (workflow, state, id, ended_at, started_at, lane = workflow);
  `,
    `
  DROP INDEX runs_by_connection;
  `,
    `
  CREATE TABLE workflow_lists (
    id INTEGER PRIMARY KEY,
    workflows TEXT NOT NULL,
    passed TEXT NOT NULL
  ) STRICT;
  CREATE TABLE fan_outs (
    id INTEGER PRIMARY KEY,
    list INTEGER NOT NULL,
    event INTEGER,
    workspace TEXT NOT NULL,
    connection TEXT NOT NULL,
    queued_at INTEGER NOT NULL,
    summary ANY NOT NULL,
    data ANY
  ) STRICT;
  CREATE INDEX fan_outs_by_list ON fan_outs (list);
  CREATE INDEX fan_outs_by_event ON fan_outs (event);
  CREATE TABLE early_runs (
    id INTEGER PRIMARY KEY
  ) STRICT;
  `,
    `
  CREATE TABLE kept_keys (
    id INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    digest TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    run INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX kept_keys_by_digest ON kept_keys (digest);
  CREATE INDEX kept_keys_by_scope ON kept_keys (scope, expires_at);
  ALTER TABLE events ADD COLUMN duplicate_of INTEGER;
  CREATE INDEX events_by_original ON events (duplicate_of) WHERE duplicate_of IS NOT NULL;
  `,
    `
  ALTER TABLE kept_keys ADD COLUMN grouped INTEGER NOT NULL DEFAULT 0;
  DROP INDEX kept_keys_by_digest;
  CREATE UNIQUE INDEX kept_keys_by_digest ON kept_keys (grouped, digest);
  `,
    `
  CREATE TABLE run_texts (
    id INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    data ANY NOT NULL
  ) STRICT;
  CREATE TRIGGER run_texts_of_deleted AFTER DELETE ON runs WHEN typeof(old.data) = 'integer' BEGIN
    DELETE FROM run_texts WHERE id = old.data AND NOT EXISTS
      (SELECT 1 FROM runs WHERE runs.id BETWEEN run_texts.id AND run_texts.last AND runs.data = run_texts.id);
  END;
  CREATE TRIGGER run_texts_of_discarded AFTER UPDATE OF data ON runs WHEN typeof(old.data) = 'integer' BEGIN
    DELETE FROM run_texts WHERE id = old.data AND NOT EXISTS
      (SELECT 1 FROM runs WHERE runs.id BETWEEN run_texts.id AND run_texts.last AND runs.data = run_texts.id);
  END;
  `,
  ],
}

/** `causeOf` of an occurrence (occurrence-filter.ts) in SQL. An index has it: change it only with a migration. */
export const causeInSql = `CASE
    WHEN json_valid(finding) AND json_type(finding, '$.code') = 'text' THEN finding ->> '$.code'
    WHEN NOT json_valid(summary) THEN NULL
    WHEN json_type(summary, '$.code') = 'text' THEN summary ->> '$.code'
    WHEN json_type(summary, '$.ok') = 'false' AND json_type(summary, '$.status') IN ('integer', 'real')
      THEN 'http_' || (summary ->> '$.status')
    END`

/**
 * Refused requests, calls, conversations and the counts of hours. `synchronous = NORMAL`: what is committed survives the end of the
 * process, but a loss of power may take the last writes.
 *
 * - `hour_count.connection` is also the id of a workspace, or empty for the service. `node` is empty once the rows of an
 *   hour were merged.
 * - `alert_step` has what the step that makes alerts remembers.
 */
export const historySchema: DatabaseSchema = {
  name: 'history',
  makeConsistent: makeHistoryConsistent,
  pragmas: `
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -2000; PRAGMA journal_size_limit = 4194304`,
  migrations: [
    `
  CREATE TABLE occurrences (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    connection TEXT NOT NULL,
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    finding TEXT,
    summary TEXT NOT NULL,
    details TEXT NOT NULL
  ) STRICT;
  CREATE INDEX occurrences_by_connection ON occurrences (kind, connection, number);
  `,
    `
  CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL,
    updated INTEGER NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    head ANY NOT NULL,
    text ANY NOT NULL
  ) STRICT;
  CREATE TABLE conversation_items (
    conversation INTEGER NOT NULL,
    message INTEGER NOT NULL,
    part INTEGER NOT NULL,
    body ANY NOT NULL,
    text ANY NOT NULL,
    PRIMARY KEY (conversation, message, part)
  ) STRICT;
  `,
    `
  CREATE INDEX occurrences_by_cause ON occurrences (kind, connection, ${causeInSql}, number);
  `,
    `
  CREATE TABLE hour_count (
    connection TEXT NOT NULL,
    hour INTEGER NOT NULL,
    node TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (connection, hour, node)
  ) STRICT;
  CREATE INDEX hour_count_of_nodes ON hour_count (hour) WHERE node <> '';
  `,
    `
  CREATE TABLE alert (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    workspace TEXT NOT NULL,
    connection TEXT,
    opened_at INTEGER NOT NULL,
    closed_at INTEGER,
    is_told INTEGER NOT NULL,
    muted_until INTEGER NOT NULL,
    doc TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX alert_open ON alert (kind, subject) WHERE closed_at IS NULL;
  CREATE TABLE alert_step (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    at INTEGER NOT NULL,
    doc TEXT NOT NULL
  ) STRICT;
  INSERT INTO alert_step VALUES (1, 0, '{}');
  `,
  ],
}

/**
 * The files that agents answer from, with their text. `synchronous = FULL`: an added file survives a loss of power. It has its
 * own database, because storing 50 MiB would delay events, and the history is only kept for a time.
 *
 * - `contents` holds the bytes of a file in pieces.
 * - `passage_texts` holds the text of each passage, under its id. Its `scope` has one word for the agent and one for the
 *   file, so that a search reads only the entries of that agent.
 */
export const knowledgeSchema: DatabaseSchema = {
  name: 'knowledge base',
  makeConsistent: makeKnowledgeConsistent,
  pragmas: `
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -4000; PRAGMA journal_size_limit = 4194304`,
  migrations: [
    `
  CREATE TABLE files (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    agent TEXT NOT NULL,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    file TEXT NOT NULL
  ) STRICT;
  CREATE INDEX files_by_agent ON files (workspace, agent);
  CREATE TABLE contents (
    file INTEGER NOT NULL,
    piece INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (file, piece)
  ) STRICT;
  CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    UNIQUE (file, number)
  ) STRICT;
  CREATE VIRTUAL TABLE passage_texts USING fts5(scope, text, tokenize = 'unicode61 remove_diacritics 2');
  `,
  ],
}
