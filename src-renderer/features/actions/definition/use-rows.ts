import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { ActionDraft, DraftChange } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'

/** Where the rows of a part of the form are in its draft. */
type Part<R> = {
  /** As issues name it. */
  readonly name: 'headers' | 'parameters' | 'mapping'
  readonly rowsOf: (draft: ActionDraft) => readonly R[]
  readonly changeTo: (rows: readonly R[]) => DraftChange
  /** A row that nothing was written into yet. */
  readonly blank: (id: number) => R
}

/** Changes, adds and removes rows of a part of the form; the keyboard stays among them. */
export function useRows<R extends { readonly id: number }>(form: DraftForm, part: Part<R>) {
  const { name, rowsOf, changeTo, blank } = part
  const list = useRef<HTMLDivElement>(null)
  const addButton = useRef<HTMLButtonElement>(null)
  return {
    list,
    addButton,
    change(id: number, next: Partial<R>, field: keyof R & string): void {
      form.set(
        before => changeTo(rowsOf(before).map(row => (row.id === id ? { ...row, ...next } : row))),
        `${name}.${id}.${field}`,
      )
    },
    add(): void {
      flushSync(() =>
        form.set(before => ({
          ...changeTo([...rowsOf(before), blank(before.nextId)]),
          nextId: before.nextId + 1,
        })),
      )
      focusRow(list.current, rowsOf(form.draft).length, 'field')
    },
    remove(id: number, index: number): void {
      flushSync(() => form.set(before => changeTo(rowsOf(before).filter(row => row.id !== id))))
      if (!focusRow(list.current, index, 'remove')) addButton.current?.focus()
    },
  }
}

/**
 * Keeps the keyboard among rows that are added and removed.
 *
 * @param list holds the rows, each marked `data-row`; null when there is none.
 * @param index of the row to go to; beyond the last one it is the last one.
 * @param part its first field, or its button that removes it.
 * @returns false when there is no row to go to.
 */
function focusRow(list: HTMLElement | null, index: number, part: 'field' | 'remove'): boolean {
  const rows = [...(list?.querySelectorAll('[data-row]') ?? [])]
  const row = rows[Math.min(index, rows.length - 1)]
  const target = row?.querySelector(part === 'field' ? 'input' : 'button[aria-label^="Remove"]')
  if (!(target instanceof HTMLElement)) return false
  target.focus()
  return true
}
