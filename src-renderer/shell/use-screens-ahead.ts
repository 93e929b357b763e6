import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { whenIdle } from '../ui/when-idle.ts'

/** Loads the program of the screens that are not open while nothing else is to be done: they open at once then. */
export function useScreensAhead(): void {
  const router = useRouter()
  useEffect(
    () =>
      whenIdle(() => {
        // One that cannot be had now is tried again, and complained about, when it is opened.
        for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route)
      }),
    [router],
  )
}
