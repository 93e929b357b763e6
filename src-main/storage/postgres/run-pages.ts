import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { checkedColumns } from '../rows/run-filters.ts'
import { state } from '../rows/run-rows.ts'
import type { RunQuery } from '../runs.ts'
import { toStored } from './stored-text.ts'

type Source = { readonly text: string; readonly values: readonly unknown[] }

/** Returns the ids below $1 and from $2, the newest $3 of them, of the runs that a query is limited to, by an index. */
export function sourceOf({
  workspaceId,
  workflowIds,
  connectionId,
  eventId,
  state: of,
  text,
  eventName,
}: RunQuery): Source {
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value) + 5}`
  const filters = [
    ...(workspaceId === undefined ? [] : [`workspace = ${add(toStored(workspaceId))}`]),
    ...(connectionId === undefined ? [] : [`connection = ${add(toStored(connectionId ?? ''))}`]),
  ]
  const where = (...more: string[]) => ['id < $1', 'id >= $2', ...filters, ...more].join(' AND ')
  const newest = (...more: string[]) => `SELECT id FROM run WHERE ${where(...more)} ORDER BY id DESC LIMIT $3`
  if (eventId !== undefined) {
    const event = add(sequenceOfEventId(eventId) ?? -1)
    const also = [
      ...(workflowIds === undefined ? [] : [`workflow = ANY (${add(workflowIds.map(toStored))}::text[])`]),
      ...(of === undefined ? [] : [`state = ${add(state[of])}`]),
    ]
    const near = newest(`event = ${event}`, `id BETWEEN ${event} AND ${event}::bigint + 16383`, ...also)
    const far = newest(`event = ${event}`, 'id NOT BETWEEN event AND event + 16383', ...also)
    return {
      text: `SELECT id FROM ((${near}) UNION ALL (${far})) AS both_ways ORDER BY id DESC LIMIT $3`,
      values,
    }
  }
  // A search reads most runs in any case, so that it need not merge those of each workflow.
  const isOfMost = text !== undefined || eventName !== undefined
  if (of === undefined && workflowIds === undefined && (isOfMost || workspaceId === undefined))
    return { text: newest(), values }
  const states = of === undefined ? Object.values(state) : [state[of]]
  const workflows =
    workflowIds === undefined
      ? allWorkflows
      : `SELECT unnest(${add(workflowIds.map(toStored))}::text[]) AS workflow`
  const each = newest('workflow = w.workflow', 'state = s.state')
  return {
    text: `SELECT r.id FROM (${workflows}) AS w CROSS JOIN unnest(${add(states)}::int[]) AS s(state)
      CROSS JOIN LATERAL (${each}) AS r ORDER BY r.id DESC LIMIT $3`,
    values,
  }
}

/** Skips the runs of a workflow in the index. */
export const allWorkflows = `WITH RECURSIVE one(workflow) AS (
    (SELECT workflow FROM run ORDER BY workflow LIMIT 1)
    UNION ALL
    SELECT (SELECT run.workflow FROM run WHERE run.workflow > one.workflow ORDER BY run.workflow LIMIT 1) FROM one
      WHERE one.workflow IS NOT NULL)
  SELECT workflow FROM one WHERE workflow IS NOT NULL`

/** Reads what is checked of runs, with their data if $4, until these have $5 bytes. `is_last` says whether all were read. */
export const chunkOf = (ids: string) => `
  WITH x AS MATERIALIZED (
    SELECT ${checkedColumns.map(name => `run.${name}`)}, b.data, coalesce(octet_length(b.data), 0) AS size
    FROM (${ids}) AS ids JOIN run USING (id) LEFT JOIN run_body AS b ON $4::boolean AND b.id = run.body)
  SELECT y.*, upto = total AS is_last FROM (
    SELECT x.*, sum(size) OVER (ORDER BY id DESC) AS upto, sum(size) OVER () AS total FROM x) AS y
  WHERE upto - size < $5::bigint ORDER BY id DESC`
