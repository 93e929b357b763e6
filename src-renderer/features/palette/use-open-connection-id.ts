import { useMatches } from '@tanstack/react-router'

/** Id of the connection whose page is open; undefined on other screens. */
export function useOpenConnectionId(): string | undefined {
  return useMatches({
    select: matches =>
      matches.find(match => match.routeId === '/connections/$connectionId')?.params.connectionId,
  })
}
