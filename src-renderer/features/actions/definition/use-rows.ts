import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { Part, RowIn } from '../action-draft.ts'
import type { DraftForm } from '../use-action-draft.ts'

export type RowActions<P extends Part> = ReturnType<typeof useRows<P>>

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
  /** Changes fields of a row; their problems are shown from now on. */
  function patch(id: number, fields: Partial<RowIn<P>>): void {
    form.setRows(
      part,
      rows => rows.map(row => (row.id === id ? { ...row, ...fields } : row)),
      ...Object.keys(fields).map(field => `${part}.${id}.${field}`),
    )
  }
  function change<Field extends keyof RowIn<P> & string>(
    id: number,
    field: Field,
    value: RowIn<P>[Field],
  ): void {
    form.setRows(
      part,
      rows => rows.map(row => (row.id === id ? { ...row, [field]: value } : row)),
      `${part}.${id}.${field}`,
    )
  }
  return {
    list,
    addButton,
    change,
    patch,
    focusIn,
    /** Returns the props of a row's text. */
    text: <Field extends keyof RowIn<P> & string>(row: RowIn<P>, field: Field) => ({
      form,
      name: `${part}.${row.id}.${field}`,
      value: row[field],
      onChange: (value: RowIn<P>[Field]) => change(row.id, field, value),
    }),
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
