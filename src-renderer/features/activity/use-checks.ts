import { useState } from 'react'
import type { ListChecks } from '../../ui/followed-list.tsx'
import { type FeedRow, isGroup } from './feed-rows.ts'

/** The most rows that are exported one by one; all that the filters select have no limit of their own. */
export const mostChecked = 500

type Checked = { readonly of: string; readonly ids: ReadonlySet<string>; readonly isAll: boolean }
const none: ReadonlySet<string> = new Set()

/**
 * Returns which rows are checked, and functions that check others.
 *
 * @param rows those that are loaded.
 * @param selection names what the filters select: another one has no checked rows.
 */
export function useChecks(rows: readonly FeedRow[], selection: string) {
  const [state, setState] = useState<Checked>({ of: selection, ids: none, isAll: false })
  const { ids, isAll } = state.of === selection ? state : { ids: none, isAll: false }
  const keep = (next: Iterable<string>) =>
    setState({ of: selection, ids: new Set([...next].slice(0, mostChecked)), isAll: false })
  const isChecked = (row: FeedRow) => (isGroup(row) ? undefined : isAll || ids.has(row.id))
  const checks: ListChecks<FeedRow> = {
    isChecked,
    toggle(row) {
      if (isGroup(row)) return
      // All but one are those that are loaded.
      const before = isAll ? rows.filter(one => !isGroup(one)).map(({ id }) => id) : [...ids]
      keep(isChecked(row) ? before.filter(id => id !== row.id) : [...before, row.id])
    },
    extend(from, to) {
      if (!isAll) keep([...ids, ...[from, to].filter(row => !isGroup(row)).map(({ id }) => id)])
    },
  }
  return {
    checks,
    ids,
    isAll,
    /** Whether no row can be checked in addition. */
    isFull: ids.size >= mostChecked,
    checkAll: () => setState({ of: selection, ids: none, isAll: true }),
    clear: () => setState({ of: selection, ids: none, isAll: false }),
  }
}
