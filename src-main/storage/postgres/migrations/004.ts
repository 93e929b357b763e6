/**
 * Keeps the limits of the calls of each connection, for all nodes: when its pause ends, and the calls that count in its rate limit.
 * Times are in milliseconds since 1970.
 */
export const sql = `
CREATE TABLE call_limit (
  connection text PRIMARY KEY,
  paused_until bigint NOT NULL DEFAULT 0,
  call_window text,
  used_at bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
`
