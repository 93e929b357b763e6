/**
 * Keeps the keyboard among rows that are added and removed.
 *
 * @param list holds the rows, each marked `data-row`; null when there is none.
 * @param index of the row to go to; beyond the last one it is the last one.
 * @param part its first field, or its button that removes it.
 * @returns false when there is no row to go to.
 */
export function focusRow(list: HTMLElement | null, index: number, part: 'field' | 'remove'): boolean {
  const rows = [...(list?.querySelectorAll('[data-row]') ?? [])]
  const row = rows[Math.min(index, rows.length - 1)]
  const target = row?.querySelector(part === 'field' ? 'input' : 'button[aria-label^="Remove"]')
  if (!(target instanceof HTMLElement)) return false
  target.focus()
  return true
}
