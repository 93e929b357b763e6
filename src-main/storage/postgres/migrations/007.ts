/**
 * Runs that only decide are stored together: those of one event in one row.
 *
 * - `fan_out` has the runs of an event, each of another workflow: those of `run_list.workflows`, whose ids follow its own as
 *   ids.ts counts. While `ended_at` is null, each waits, and a node that holds the lease finds out which of them only decide.
 *   Afterwards each has succeeded, at the same time, without an error.
 * - A run is in `run` instead if it has to be carried out, or has ended otherwise. Its index is then in `gone`, as is that of
 *   a deleted one. `place` is that of its row in `run` until it is claimed there; null for runs that had ended at first.
 * - `run_body.id` of the data of such a run is the id of its fan-out.
 * - `fan_out.steps` has the steps of each run, null for none. What changes is beside each other, before texts that do not.
 * - `fan_out_of_list` has what figures need.
 *
 * Programs before do not know them, so they are written only from `meta.oldest_program` on. `meta.older_seen_at` is when a
 * node of such a program was seen last, as far as that was kept; null in a database that no such program has used.
 */
export const sql = `
ALTER TABLE meta ADD COLUMN older_seen_at bigint;
UPDATE meta SET older_seen_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
CREATE TABLE run_list (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text NOT NULL UNIQUE,
  workspace text NOT NULL,
  workflows text[] NOT NULL,
  used_at bigint NOT NULL
);
CREATE INDEX run_list_of_workflow ON run_list USING gin (workflows) WITH (fastupdate = off);
CREATE TABLE fan_out (
  id bigint PRIMARY KEY,
  place bigint,
  list integer NOT NULL,
  runs integer NOT NULL,
  event bigint,
  queued_at bigint NOT NULL,
  connection text NOT NULL,
  due_at bigint NOT NULL DEFAULT 0,
  attempt integer NOT NULL DEFAULT 0,
  node integer,
  started_at bigint,
  ended_at bigint,
  gone integer[] NOT NULL DEFAULT '{}',
  steps text,
  summary text NOT NULL,
  data text
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX fan_out_pending ON fan_out (place) WHERE ended_at IS NULL;
CREATE INDEX fan_out_of_list ON fan_out (list, id) INCLUDE (started_at, ended_at, gone) WHERE ended_at IS NOT NULL;
CREATE INDEX fan_out_of_event ON fan_out (event) WHERE id NOT BETWEEN event AND event + 16383;
`
