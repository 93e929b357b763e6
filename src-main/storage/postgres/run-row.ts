import type { SQLOutputValue } from 'node:sqlite'
import { runOf } from '../rows/run-rows.ts'
import type { Run } from '../runs.ts'
import type { Row } from './connect.ts'
import { fromStored } from './stored-text.ts'

/** When a waiting run is due that a process has claimed and handed back: at once, before those that came after it. */
export const handedBack = -1

/** Returns a row with the texts that were stored. */
export function readable(row: Row): Record<string, SQLOutputValue> {
  const texts: Record<string, SQLOutputValue> = {}
  for (const [name, value] of Object.entries(row))
    if (typeof value === 'string') texts[name] = fromStored(value)
    else if (typeof value === 'number' || value === null) texts[name] = value
    else if (typeof value === 'boolean') texts[name] = value ? 1 : 0
  return texts
}

export function runOfRow(row: Row): Run {
  const { due_at: dueAt, ...columns } = readable(row)
  return runOf({ ...columns, due_at: dueAt === handedBack ? 0 : (dueAt ?? null) })
}
