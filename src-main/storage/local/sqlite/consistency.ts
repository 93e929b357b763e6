import type { DatabaseSync } from 'node:sqlite'
import type { RunErrorCode } from '#shared/errors/run.ts'
import type { KnowledgeWarning } from '#shared/model/platform/knowledge.ts'
import { state } from '../../rows/run-rows.ts'
import { isDamage } from './own-database.ts'

/** The error of a run that could repeat finished steps, because their results are lost. */
const lostSteps = JSON.stringify({
  code: 'damaged_payload' satisfies RunErrorCode,
  message: 'The stored steps of the run cannot be read.',
})

/** Makes what could be read of an event log consistent. `lost` names the tables that are not complete. */
export function makeEventLogConsistent(
  target: DatabaseSync,
  lost: ReadonlySet<string>,
  damaged: DatabaseSync,
): void {
  if (lost.has('connections')) copyConnectionsFromIndex(target, damaged)
  // A connection that is created later could get the number of a lost one, and with it its events.
  target.exec('DELETE FROM events WHERE connection NOT IN (SELECT id FROM connections)')
  target.exec('DELETE FROM run_steps WHERE run NOT IN (SELECT id FROM runs)')
  target.exec(`
    DELETE FROM run_texts WHERE NOT EXISTS
      (SELECT 1 FROM runs WHERE runs.id BETWEEN run_texts.id AND run_texts.last AND runs.data = run_texts.id)`)
  // A run of a fan-out that is stored must not come into being again.
  target.exec(`
    DELETE FROM workflow_lists WHERE NOT json_valid(workflows) OR NOT json_valid(passed)
      OR json_array_length(workflows) IS NOT json_array_length(passed);
    DELETE FROM fan_outs WHERE list NOT IN (SELECT id FROM workflow_lists);
    INSERT OR IGNORE INTO early_runs SELECT runs.id FROM fan_outs
      JOIN workflow_lists ON workflow_lists.id = list
      JOIN runs ON runs.id BETWEEN fan_outs.id AND fan_outs.id + json_array_length(workflows) - 1`)
  if (lost.has('run_steps'))
    target
      .prepare(
        'UPDATE runs SET state = ?, ended_at = ?, error = ? WHERE state <= ? AND started_at IS NOT NULL',
      )
      .run(state.failed, Date.now(), lostSteps, state.running)
}

/** The index on the keys has the ids too. Without the table, events that were cleared but not deleted yet come back. */
function copyConnectionsFromIndex(target: DatabaseSync, damaged: DatabaseSync): void {
  const insert = target.prepare('INSERT OR IGNORE INTO connections (id, key) VALUES (?, ?)')
  try {
    for (const { id, key } of damaged
      .prepare('SELECT id, key FROM connections INDEXED BY sqlite_autoindex_connections_1')
      .iterate())
      insert.run(id ?? null, key ?? null)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

/** Deletes the items of conversations that could not be read. */
export function makeHistoryConsistent(target: DatabaseSync): void {
  target.exec('DELETE FROM conversation_items WHERE conversation NOT IN (SELECT number FROM conversations)')
}

/** The warning of a file whose passages could not all be read. */
export const textLost = {
  code: 'text_lost',
  message: 'A part of its text was lost on the disk',
} satisfies KnowledgeWarning

/** Deletes parts without their other half, and marks the files that have lost passages. */
export function makeKnowledgeConsistent(target: DatabaseSync, lost: ReadonlySet<string>): void {
  if (lost.size === 0) return
  target.exec(`
    CREATE TEMP TABLE incomplete AS
      SELECT file AS number FROM passages WHERE id NOT IN (SELECT rowid FROM passage_texts)
      UNION SELECT CAST(substr(scope, instr(scope, ' f') + 2) AS INTEGER) FROM passage_texts
        WHERE rowid NOT IN (SELECT id FROM passages);
    DELETE FROM passages WHERE file NOT IN (SELECT number FROM files)
      OR id NOT IN (SELECT rowid FROM passage_texts);
    DELETE FROM passage_texts WHERE rowid NOT IN (SELECT id FROM passages);
    DELETE FROM contents WHERE file NOT IN (SELECT number FROM files)`)
  target
    .prepare(
      // Without the version of the reader, it is read again from its bytes.
      `UPDATE files SET file = json_remove(json_set(file, '$.warnings[#]', json(?)), '$.reader')
       WHERE number IN (SELECT number FROM incomplete) AND json_valid(file)`,
    )
    .run(JSON.stringify(textLost))
  target.exec('DROP TABLE incomplete')
}
