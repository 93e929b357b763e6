import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { Part, RowIn } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'

export type RowActions = ReturnType<typeof useRows>

/** Returns the functions that change, add and remove the rows of a part, and that keep the focus among them. */
export function useRows<P extends Part>(form: DraftForm, part: P) {
  const list = useRef<HTMLDivElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  /** Focuses an element of a row, or of the last row if there is no row with this index. */
  function focusIn(index: number, selector: string): boolean {
    const rows = [...(list.current?.querySelectorAll('[data-row]') ?? [])]
    const target = rows[Math.min(index, rows.length - 1)]?.querySelector<HTMLElement>(selector)
    target?.focus()
    return target != null
  }
  return {
    list,
    addButton,
    change: (id: number, next: Partial<RowIn<P>>, field: keyof RowIn<P> & string) =>
      form.setRows(
        part,
        rows => rows.map(row => (row.id === id ? { ...row, ...next } : row)),
        `${part}.${id}.${field}`,
      ),
    add(): void {
      flushSync(() => form.addRow(part))
      focusIn(Number.POSITIVE_INFINITY, 'input')
    },
    remove(id: number, index: number): void {
      flushSync(() => form.setRows(part, rows => rows.filter(row => row.id !== id)))
      if (!focusIn(index, 'button[aria-label^="Remove"]')) addButton.current?.focus()
    },
  }
}
