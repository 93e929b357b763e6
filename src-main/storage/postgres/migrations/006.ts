/**
 * Counts what happened in each hour. Nodes have rows of their own, which are merged later, with an empty `node`. `connection` is
 * also the id of a workspace, or empty for the service. `hour_count_head.merged_to` is the last hour of which rows were merged:
 * a node that was stopped meanwhile adds nothing to it any more.
 */
export const sql = `
CREATE TABLE hour_count (
  connection text NOT NULL,
  hour integer NOT NULL,
  node text NOT NULL,
  doc text NOT NULL,
  PRIMARY KEY (connection, hour, node)
);
CREATE INDEX hour_count_of_nodes ON hour_count (hour) WHERE node <> '';
CREATE TABLE hour_count_head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  merged_to integer NOT NULL DEFAULT -1
);
INSERT INTO hour_count_head DEFAULT VALUES;
`
