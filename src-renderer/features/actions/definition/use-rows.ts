import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { ActionDraft, DraftChange } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'
import { focusRow } from './focus-row.ts'

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
