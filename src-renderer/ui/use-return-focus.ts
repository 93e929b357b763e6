import { useEffect, useState } from 'react'
import { giveBackFocus, placeOf } from './give-back-focus.ts'

/** What had the focus; of an item of a menu, which closes, the button that opened the menu. */
function focused(): Element | null {
  const menu = document.activeElement?.closest('[role="menu"]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : document.activeElement
}

/**
 * For a dialog that is there only while it is open: once it is gone, the focus is again where it was, unless
 * it has gone elsewhere meanwhile. Mantine gives it back only where the dialog itself stays.
 */
export function useReturnFocus(): void {
  const [before] = useState(() => placeOf(focused()))
  useEffect(() => () => giveBackFocus(before), [before])
}
