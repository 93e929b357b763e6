import { type KeyboardEvent, useRef } from 'react'
import { useShortcut } from './shortcuts.tsx'

/** Returns the index, or the nearest one that a list of this length has. */
const within = (index: number, count: number) => Math.max(0, Math.min(count - 1, index))

/**
 * Returns the row to which a key leads; null for a key that leads to none.
 *
 * @param at the current row; -1 for none.
 * @param page how many rows Page Up and Page Down pass; they lead nowhere without it.
 */
export function rowOfKey(
  press: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  at: number,
  count: number,
  page?: number,
): number | null {
  if (count === 0 || press.ctrlKey || press.metaKey || press.altKey) return null
  const rows: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
    ...(page !== undefined && { PageDown: at + page, PageUp: at - page }),
  }
  const row = rows[press.key]
  return row === undefined ? null : within(row, count)
}

/** Returns how many rows a page of a scrolled list has, without the one that stays in sight. */
export const pageOf = (scroller: Element, rowHeight: number) =>
  Math.max(1, Math.floor(scroller.clientHeight / rowHeight) - 1)

/** Binds ↑ and ↓ to the rows of a screen's list, wherever the focus is. Without a current row, both lead to the first. */
export function useRowKeys(
  list: {
    /** The heading of the shortcuts: “Runs”. */
    readonly group: string
    /** One of the rows: “run”. */
    readonly noun: string
    readonly count: number
    /** The current row; -1 for none. */
    readonly at: number
    readonly isOn?: boolean
  },
  go: (row: number) => void,
): void {
  const { group, noun, count, at, isOn = true } = list
  const step = (by: number) => count > 0 && go(at === -1 ? 0 : within(at + by, count))
  useShortcut({ keys: 'arrowdown', label: `Next ${noun}`, group }, () => step(1), isOn)
  useShortcut({ keys: 'arrowup', label: `Previous ${noun}`, group }, () => step(-1), isOn)
}

/**
 * Makes buttons or links a list: ↑, ↓, Home and End move the focus between them.
 *
 * @param rows selects them.
 * @param onMove gets the one that the focus has moved to.
 * @returns props for the element around them, and a `list` whose `focus` goes to the current one, or to the first.
 */
export function useFocusList<Around extends HTMLElement>(rows: string, onMove?: (row: HTMLElement) => void) {
  const ref = useRef<Around>(null)
  const all = () => [...(ref.current?.querySelectorAll<HTMLElement>(rows) ?? [])]
  const list = useRef({ focus: () => (all().find(row => row.ariaCurrent !== null) ?? all()[0])?.focus() })
  function onKeyDown(event: KeyboardEvent): void {
    const elements = all()
    const at = elements.findIndex(element => element.matches(':focus'))
    const row = elements[rowOfKey(event, at, elements.length) ?? -1]
    if (row === undefined) return
    event.preventDefault()
    row.focus()
    onMove?.(row)
  }
  return { list, listProps: { ref, onKeyDown } }
}
