/**
 * - `node.facts` is what a node tells of itself, as JSON. Those of another id than `node.name` are of the node that had the
 *   slot before one whose program tells nothing.
 * - `node.seen_at` is negative once a node has left, or was forgotten.
 */
export const sql = `
ALTER TABLE node ADD COLUMN facts text;
`
