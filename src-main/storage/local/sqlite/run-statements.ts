import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { deletedInSql, state } from '../../rows/run-rows.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import { sealedPrefix } from '../../sealing.ts'
import { type EndedRun, hourOfId, RunCounters } from './run-counters.ts'

/** The error of a run whose row has values that are never stored. */
export const damaged = JSON.stringify({
  code: 'damaged_payload' satisfies RunErrorCode,
  message: 'The stored run cannot be read.',
})

export type Row = Record<string, SQLOutputValue>

/** Prepares what RunTable reads and writes. */
export function runStatements(database: DatabaseSync) {
  const set = (change: string) => database.prepare(`UPDATE runs SET ${change}`)
  const counted = 'id, workflow, lane, state, started_at, ended_at'
  // The index on workflow is in the order of the ids only within one state.
  const oldest = [state.succeeded, state.failed, state.cancelled]
    .map(
      of => `SELECT * FROM (SELECT id FROM runs WHERE workflow = ?1 AND state = ${of} ORDER BY id LIMIT ?2)`,
    )
    .join(' UNION ALL ')
  return {
    insert: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, summary, data)
      VALUES (?, ?, ?, ?, ?, ?, 0, ?, 0, ?, ?, ?)`),
    insertEnded: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        ended_at, error, summary, data, steps)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, ?)`),
    store: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        summary, data)
      SELECT ?1, ?2, workspace, connection, event, ?2, ?3, ?4, ?5, queued_at, ?6, summary, data
      FROM fan_outs WHERE id = ?7`),
    storeEnded: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        ended_at, error, summary, data, steps)
      SELECT ?1, ?2, workspace, connection, event, ?2, ?3, 0, 1, queued_at, ?4, ?5, ?6, summary, iif(?8, NULL, data), ?7
      FROM fan_outs WHERE id = ?9`),
    find: database.prepare(`SELECT ${counted}, attempt FROM runs WHERE id = ?`),
    lastOfNext: database.prepare(
      'SELECT max(id) AS id FROM (SELECT id FROM runs WHERE id > ? ORDER BY id LIMIT ?)',
    ),
    ofConnection: database.prepare(`SELECT ${counted} FROM runs WHERE id > ? AND id <= ? AND connection = ?`),
    newest: database.prepare('SELECT coalesce(max(id), 0) AS id FROM runs'),
    due: database.prepare(`
      SELECT id, due_at FROM runs WHERE lane = ? AND state = ? AND state < 2 AND due_at <= ?
      ORDER BY due_at, id LIMIT ?`),
    next: database.prepare(
      'SELECT due_at FROM runs WHERE lane = ? AND state = ? AND state < 2 ORDER BY due_at LIMIT 1',
    ),
    take: set(`
      state = 2, attempt = attempt + 1, due_at = ?, started_at = coalesce(started_at, ?)
      WHERE id = ? RETURNING *`),
    release: set('state = 1, due_at = 0 WHERE state = 2 AND due_at <= ? RETURNING lane'),
    setDue: set('due_at = ? WHERE id = ?'),
    retry: set('state = 1, due_at = ?, error = ? WHERE id = ?'),
    hurry: set('due_at = 0 WHERE id = ? AND state = 1 RETURNING id'),
    reopen: set(`
      state = 1, due_at = 0, ended_at = NULL, error = NULL, summary = coalesce(?, summary)
      WHERE id = ? AND state IN (4, 5) AND data IS NOT NULL RETURNING lane, workflow, started_at, steps`),
    clearSteps: set('steps = NULL WHERE id = ?'),
    end: set('state = ?, due_at = 0, ended_at = ?, error = ? WHERE id = ?'),
    discard: set('data = NULL WHERE id = ?'),
    // Updates in place: the order of the rows is the order in which the steps began.
    step: database.prepare(`
      INSERT INTO run_steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (run, path, attempt) DO UPDATE SET
        started_at = excluded.started_at, ended_at = excluded.ended_at, error = excluded.error,
        call = excluded.call, input = excluded.input, output = excluded.output,
        is_cut = excluded.is_cut, absent = excluded.absent`),
    discardSteps: database.prepare('UPDATE run_steps SET input = NULL, output = NULL WHERE run = ?'),
    unseal: database.prepare(`
      UPDATE run_steps SET output = ${deletedInSql('instr(output, char(10))')}
      WHERE run = ? AND output GLOB '${sealedPrefix}*'`),
    oldest: database.prepare(`
      SELECT ${counted}, steps IS NULL AS hasRows FROM (${oldest} ORDER BY id LIMIT ?2) JOIN runs USING (id) WHERE ended_at < ?3`),
    totals: database.prepare(
      'SELECT workflow, state, count(*) AS runs FROM runs WHERE state > 2 GROUP BY workflow, state',
    ),
    byStart: database.prepare(`
      SELECT state, ${hourOfId} AS hour, count(*) AS runs FROM runs INDEXED BY runs_by_workflow
      WHERE workflow = ? AND state > 2 GROUP BY state, hour`),
    between: database.prepare(
      'SELECT count(*) AS runs FROM runs WHERE workflow = ? AND state = ? AND id >= ? AND id < ?',
    ),
    // The index has all that is counted.
    endedSince: database.prepare(`
      SELECT state, started_at, ended_at FROM runs INDEXED BY runs_by_workflow
      WHERE workflow = ? AND state IN (${state.succeeded}, ${state.failed}) AND ended_at >= ? AND (lane = workflow) = 1`),
    delete: database.prepare('DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))'),
    deleteSteps: database.prepare('DELETE FROM run_steps WHERE run IN (SELECT value FROM json_each(?))'),
  }
}

/** Returns counters of the ended runs that are stored. */
export function countersOf(statements: ReturnType<typeof runStatements>): RunCounters {
  const { totals, byStart, between, endedSince } = statements
  return new RunCounters({
    totals: () => mapped(totals.iterate(), row => ({ ...countOf(row), workflow: fromStored(row.workflow) })),
    byStart: workflow =>
      mapped(byStart.iterate(workflow), row => ({ ...countOf(row), hour: integer(row.hour) })),
    between: (...range) => integer(between.get(...range)?.runs),
    // Hundreds of thousands of rows: reading them one by one takes twice as long.
    endedSince: (workflow, endedAt) => endedSince.all(workflow, endedAt).map(endOf),
  })
}

/** Returns an ended run as it is counted. */
export function endedOf(row: Row): EndedRun {
  return {
    ...{ id: integer(row.id), workflow: fromStored(row.workflow), lane: fromStored(row.lane) },
    ...endOf(row),
  }
}

/** Returns how a run ended. A time that a damaged row lacks is 0. */
function endOf({ state, started_at: startedAt, ended_at: endedAt }: Row) {
  return {
    state: integer(state),
    startedAt: typeof startedAt === 'number' ? startedAt : null,
    endedAt: typeof endedAt === 'number' ? endedAt : 0,
  }
}

const countOf = (row: Row) => ({ state: integer(row.state), runs: integer(row.runs) })

function* mapped<Result>(rows: Iterable<Row>, of: (row: Row) => Result): Generator<Result> {
  for (const row of rows) yield of(row)
}
