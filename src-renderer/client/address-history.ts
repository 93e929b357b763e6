import { createHashHistory, type RouterHistory } from '@tanstack/react-router'

/**
 * Creates the router's history in the hash of the address. The router numbers its entries, so that it can go back when a
 * form with unsaved changes is not left. An address that the user types, or that another program opens, has no number:
 * the router would load the page again, or ignore the next step through the history.
 */
export function createAddressHistory(): RouterHistory {
  let routes: RouterHistory | null = null
  // Before the router's own listener.
  addEventListener('popstate', () => {
    const { __TSR_index: index } = Object(window.history.state)
    if (routes === null || index !== undefined) return
    const key = crypto.getRandomValues(new Uint32Array(2)).join('-')
    const state = { __TSR_index: routes.location.state.__TSR_index + 1, __TSR_key: key, key }
    // Not the router's function, which would take it for a step.
    History.prototype.replaceState.call(window.history, state, '')
  })
  routes = createHashHistory()
  return routes
}
