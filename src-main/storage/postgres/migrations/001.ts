/**
 * - `event`, `run` and `run_body` are written by one statement (accept-batch.ts).
 * - `event` has no partitions by day. A busy connection reaches its number of events within a day, so that events are mostly
 *   deleted one by one in any case; and to plan a page over 30 partitions takes 3 to 9 ms, instead of 0.3.
 * - `event` is vacuumed often: events are counted by its index alone only where a vacuum has been since.
 * - `event_text` has the texts of events up to `event_log.indexed_up_to`, as text-index.ts adds them. Its index is created
 *   with the first of them.
 * - `run` is small, because a run is rewritten several times; `run_body` never is. The data of a run are in the row
 *   `run.body`, null once they are discarded: the runs of a fan-out share one, which has the id of the first, and `runs`
 *   is how many. The steps of a run that was stored with them are in the row of its own id, as JSON.
 * - `run.place` is the order in which a lane's runs were accepted, and once they were claimed, that in which they were. Ids
 *   do not follow it: several nodes make them.
 * - `run_of_event` has the runs whose id is not just above their event's; the others are found by id.
 * - `run_leased` names what is always so, which keeps it from being used to count a lane's running runs one by one.
 * - `run_step.place` is the order in which the steps began.
 * - `lane.turn` grows each time a lane is served. `lane` is not indexed by it, so that its updates stay in the page.
 * - `config_part` has the records of the configuration as its file has them. That of a removed one is null, so that those
 *   who read what was changed after a version see it; `config_head.kept_from` is the newest version of which such rows may
 *   be gone. `place` is the order of the records of a kind.
 * - `knowledge_passage.words` has the words of a passage, and those by which a search finds an agent's or a file's.
 * - `held_call.doc` and `decision` are sealed: they may contain secrets. A call waits while its node renews the lease.
 * - Tables that are not logged are emptied by a crash or a failover of the database: what they have ends soon anyway.
 *   `activity` is logged, because its numbers would start over.
 * - The texts are those of stored-text.ts. run-rows.ts numbers the states of runs.
 */
export const sql = `
CREATE TABLE connection (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  hidden_up_to bigint NOT NULL DEFAULT -1
);
CREATE TABLE event (
  seq bigint PRIMARY KEY,
  connection integer NOT NULL,
  name text NOT NULL,
  received_at bigint NOT NULL,
  flags smallint NOT NULL,
  replay_of text,
  headers text NOT NULL,
  body text NOT NULL,
  duplicate_of bigint
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX event_of_connection ON event (connection, seq);
CREATE INDEX event_duplicate ON event (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE TABLE event_text (
  seq bigint PRIMARY KEY,
  text text NOT NULL
);
CREATE FUNCTION forget_event_text() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM event_text USING gone WHERE event_text.seq = gone.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER event_deleted AFTER DELETE ON event REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_event_text();
CREATE TABLE event_log (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  newest_seq bigint NOT NULL DEFAULT -1,
  indexed_up_to bigint NOT NULL DEFAULT -1,
  probes bigint NOT NULL DEFAULT 0
);
INSERT INTO event_log DEFAULT VALUES;

CREATE SEQUENCE run_place;
CREATE TABLE run (
  id bigint PRIMARY KEY,
  place bigint NOT NULL,
  workflow text NOT NULL,
  workspace text NOT NULL,
  connection text NOT NULL,
  event bigint,
  lane text NOT NULL,
  state smallint NOT NULL,
  due_at bigint NOT NULL,
  attempt integer NOT NULL,
  node integer,
  queued_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  body bigint,
  is_fanned boolean NOT NULL,
  error text,
  summary text NOT NULL
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX run_due ON run (lane, state, due_at, place) WHERE state < 2;
CREATE INDEX run_running ON run (lane, place) WHERE state = 2;
CREATE INDEX run_leased ON run (due_at) WHERE state = 2 AND due_at > 0;
CREATE INDEX run_of_workflow ON run (workflow, state, id) INCLUDE (ended_at, started_at, lane);
CREATE INDEX run_of_event ON run (event) WHERE id NOT BETWEEN event AND event + 16383;
CREATE TABLE run_body (
  id bigint PRIMARY KEY,
  runs integer NOT NULL DEFAULT 1,
  data text,
  steps text
);
CREATE INDEX run_body_of_fan_out ON run_body (id) WHERE runs > 1;
CREATE TABLE run_step (
  run bigint NOT NULL,
  path text NOT NULL,
  attempt integer NOT NULL,
  place bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  error text,
  call text,
  input text,
  output text,
  is_cut boolean NOT NULL,
  absent text NOT NULL,
  PRIMARY KEY (run, path, attempt)
);
CREATE TABLE lane (
  lane text PRIMARY KEY,
  most integer NOT NULL DEFAULT 1,
  is_ordered boolean NOT NULL DEFAULT false,
  is_cancelled boolean NOT NULL DEFAULT false,
  turn bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE kept_key (
  digest text PRIMARY KEY,
  scope text NOT NULL,
  expires_at bigint NOT NULL,
  run bigint
);
CREATE INDEX kept_key_of_scope ON kept_key (scope, expires_at);
CREATE INDEX kept_key_by_expiry ON kept_key (expires_at);

CREATE TABLE housekeeping (
  name text PRIMARY KEY,
  owner text NOT NULL,
  leased_until bigint NOT NULL
);
CREATE TABLE session (
  digest text PRIMARY KEY,
  expires_at bigint NOT NULL,
  place bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
CREATE SEQUENCE once_place;
CREATE UNLOGGED TABLE once (
  kind text NOT NULL,
  key text NOT NULL,
  text text NOT NULL,
  expires_at bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('once_place'),
  PRIMARY KEY (kind, key)
);
CREATE TABLE token_use (
  token text PRIMARY KEY,
  at bigint NOT NULL
);
CREATE TABLE held_call (
  id text PRIMARY KEY,
  place bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  doc text NOT NULL,
  size bigint NOT NULL,
  expires_at bigint,
  leased_until bigint NOT NULL,
  decision text
);
CREATE TABLE statistic_node (
  node text PRIMARY KEY,
  since bigint NOT NULL,
  at bigint NOT NULL
);
CREATE SEQUENCE statistic_version;
CREATE TABLE statistic (
  node text NOT NULL,
  connection text NOT NULL,
  doc text NOT NULL,
  version bigint NOT NULL DEFAULT nextval('statistic_version'),
  PRIMARY KEY (node, connection)
);

CREATE TABLE config_head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL DEFAULT 0,
  kept_from bigint NOT NULL DEFAULT 0
);
INSERT INTO config_head DEFAULT VALUES;
CREATE TABLE config_part (
  kind text NOT NULL,
  id text NOT NULL,
  place float8 NOT NULL,
  version bigint NOT NULL,
  doc_version bigint NOT NULL,
  changed_at bigint NOT NULL,
  doc text,
  PRIMARY KEY (kind, id)
);
CREATE INDEX config_part_by_version ON config_part (version, kind, id);
CREATE INDEX config_part_removed ON config_part (changed_at) WHERE doc IS NULL;

CREATE TABLE occurrence (
  number bigint PRIMARY KEY,
  kind text NOT NULL,
  connection text NOT NULL,
  subject text NOT NULL,
  at bigint NOT NULL,
  cause text,
  finding text,
  summary text NOT NULL,
  details text NOT NULL
);
CREATE INDEX occurrence_of_connection ON occurrence (kind, connection, number);
CREATE INDEX occurrence_of_cause ON occurrence (kind, connection, cause, number);
CREATE INDEX occurrence_by_age ON occurrence (kind, at);

CREATE TABLE conversation (
  number bigint PRIMARY KEY,
  workspace text NOT NULL,
  updated bigint NOT NULL UNIQUE,
  bytes bigint NOT NULL,
  head text NOT NULL,
  text text NOT NULL
);
CREATE TABLE conversation_item (
  conversation bigint NOT NULL,
  message integer NOT NULL,
  part integer NOT NULL,
  body text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (conversation, message, part)
);
CREATE TABLE conversation_owner (
  conversation bigint NOT NULL,
  owner text NOT NULL,
  leased_until bigint NOT NULL,
  PRIMARY KEY (conversation, owner)
);
CREATE TABLE conversation_change (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  conversation bigint NOT NULL,
  updated bigint
);

CREATE TABLE knowledge_head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL DEFAULT 0
);
INSERT INTO knowledge_head DEFAULT VALUES;
CREATE TABLE knowledge_file (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  workspace text NOT NULL,
  agent text NOT NULL,
  name text NOT NULL,
  sha256 text NOT NULL,
  bytes bigint NOT NULL,
  added_at text NOT NULL,
  reader integer NOT NULL,
  file text NOT NULL
);
CREATE INDEX knowledge_file_of_agent ON knowledge_file (workspace, agent, number);
CREATE TABLE knowledge_piece (
  file bigint NOT NULL REFERENCES knowledge_file ON DELETE CASCADE,
  piece integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (file, piece)
);
CREATE TABLE knowledge_passage (
  file bigint NOT NULL REFERENCES knowledge_file ON DELETE CASCADE,
  number integer NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  text text NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (file, number)
);
CREATE INDEX knowledge_passage_words ON knowledge_passage USING gin (words);
CREATE UNLOGGED TABLE upload (
  id text PRIMARY KEY,
  workspace text NOT NULL,
  agent text NOT NULL,
  name text NOT NULL,
  size bigint NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  used_at bigint NOT NULL,
  is_finished boolean NOT NULL DEFAULT false
);
CREATE UNLOGGED TABLE upload_piece (
  upload text NOT NULL REFERENCES upload ON DELETE CASCADE,
  at bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload, at)
);
CREATE TABLE node (
  slot smallint PRIMARY KEY,
  name text NOT NULL,
  seen_at bigint NOT NULL,
  config_version bigint NOT NULL
);
CREATE TABLE activity (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  node text NOT NULL,
  items text NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX activity_by_age ON activity (at);
CREATE UNLOGGED TABLE activity_follower (
  node text PRIMARY KEY,
  until bigint NOT NULL
);
`
