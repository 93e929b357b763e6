/**
 * The alerts. Only one of a kind and a subject is open. `alert_step` has what the step that makes them remembers: a step writes
 * it with its alerts, and only if no other one has written since it has read.
 */
export const sql = `
CREATE TABLE alert (
  number bigint PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  workspace text NOT NULL,
  connection text,
  opened_at bigint NOT NULL,
  closed_at bigint,
  is_told boolean NOT NULL,
  muted_until bigint NOT NULL,
  doc text NOT NULL
);
CREATE UNIQUE INDEX alert_open ON alert (kind, subject) WHERE closed_at IS NULL;
CREATE TABLE alert_step (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  at bigint NOT NULL,
  doc text NOT NULL
);
INSERT INTO alert_step (at, doc) VALUES (0, '{}');
`
