import type { RefObject } from 'react'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { group } from './story-group.ts'
import { nextFailed, type StoryRow } from './story-rows.ts'

/**
 * Binds the keys that go through a story and open and close its rows, wherever the focus is.
 *
 * @returns does what ← and → do, for the tree, which takes its own arrow keys.
 */
export function useStoryKeys(parts: {
  readonly rows: readonly StoryRow[]
  /** The chosen one. */
  readonly row: StoryRow | undefined
  readonly choose: (id: string) => void
  readonly fold: (id: string, open: boolean) => void
  readonly tree: RefObject<HTMLDivElement | null>
  readonly isOn: boolean
}): (direction: 'left' | 'right') => void {
  const { rows, row, choose, fold, tree, isOn } = parts
  const at = row === undefined ? -1 : rows.indexOf(row)
  function go(to: StoryRow | undefined): void {
    if (to === undefined) return
    choose(to.id)
    tree.current?.focus()
  }
  function onFold(direction: 'left' | 'right'): void {
    if (row === undefined) return
    if (row.isOpen === (direction === 'left')) fold(row.id, !row.isOpen)
    else if (direction === 'left') go(rows.findLast((one, index) => index < at && one.depth < row.depth))
    else if (row.isOpen === true) go(rows[at + 1])
  }
  useRowKeys({ group, noun: 'row', count: rows.length, at, isOn }, index => go(rows[index]))
  useShortcut({ keys: 'arrowleft', label: 'Close the row', group }, () => onFold('left'), isOn)
  useShortcut({ keys: 'arrowright', label: 'Open the row', group }, () => onFold('right'), isOn)
  useShortcut({ keys: 'f8', label: 'Next that failed', group }, () => go(nextFailed(rows, at)))
  return onFold
}
