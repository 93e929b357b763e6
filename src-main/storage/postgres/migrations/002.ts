/**
 * - `node.name` is the id of a node. `run.node` is its slot.
 * - `node.facts` is what a node tells of itself, as JSON. Those of another id than `node.name` are of the node that had the
 *   slot before one whose program tells nothing.
 * - `node.seen_at` is negative once a node has left, or was forgotten.
 * - `board` has what nodes show each other. `version` grows with each change of a text, `at` while the node lives.
 */
export const sql = `
ALTER TABLE node ADD COLUMN facts text;
CREATE SEQUENCE board_version;
CREATE UNLOGGED TABLE board (
  topic text NOT NULL,
  node text NOT NULL,
  doc text NOT NULL,
  version bigint NOT NULL DEFAULT nextval('board_version'),
  at bigint NOT NULL,
  PRIMARY KEY (topic, node)
);
`
