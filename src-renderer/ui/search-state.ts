import {
  type RegisteredRouter,
  type RouteById,
  type RouteIds,
  useNavigate,
  useSearch,
} from '@tanstack/react-router'

type Routes = RegisteredRouter['routeTree']
type SearchOf<Id extends RouteIds<Routes>> = RouteById<Routes, Id>['types']['fullSearchSchema']

/**
 * Returns the state of a screen in its address, as its route parses it, and a function that changes parts of it. An empty
 * text leaves the address. What goes through a list row by row leaves no history: pass `replace: false` where Back should
 * lead to the state before, and `ignoreBlocker` where unsaved changes are kept.
 *
 * @param route the screen's, which must be open.
 */
export function useSearchState<const Id extends RouteIds<Routes>>(route: Id) {
  const state: SearchOf<Id> = useSearch({ from: route })
  const navigate = useNavigate()
  function change(next: Partial<SearchOf<Id>>, how: { replace?: boolean; ignoreBlocker?: boolean } = {}) {
    void navigate({ to: '.', search: before => ({ ...before, ...next }), replace: true, ...how })
  }
  return [state, change] as const
}
