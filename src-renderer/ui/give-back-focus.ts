/**
 * Where the focus was: an element and what it stands in, innermost first, less what every screen stands in: on
 * another screen there is nothing near to it. Empty where nothing had it.
 */
export type FocusPlace = readonly Element[]

export function placeOf(element: Element | null): FocusPlace {
  const place: Element[] = []
  for (let at = element; at !== null && !at.matches('main, body'); at = at.parentElement) place.push(at)
  return place
}

const reachable = 'a, button, input, textarea, [tabindex], [contenteditable]'

/** Gives the focus, where nothing has it, to what had it or, if that is gone, to what stands nearest to its place. */
export function giveBackFocus(place: FocusPlace): void {
  if (document.activeElement !== null && document.activeElement !== document.body) return
  const around = place.filter(element => element.isConnected)
  if (around[0] === place[0] && place[0] instanceof HTMLElement) place[0].focus({ preventScroll: true })
  if (document.activeElement === place[0]) return
  for (const part of around) {
    const next = [...part.querySelectorAll<HTMLElement>(reachable)].find(
      element => element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility(),
    )
    if (next !== undefined) {
      next.focus({ preventScroll: true })
      return
    }
  }
}
