import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { whenIdle } from '../ui/when-idle.ts'
import { ImportDialog, Palette } from './dialogs.tsx'

/** Loads the code of the other screens and of the large dialogs once the page is idle, so that they open at once. */
export function useScreensAhead(): void {
  const router = useRouter()
  useEffect(
    () =>
      whenIdle(() => {
        // One that cannot be had now is tried again, and complained about, when it is opened.
        for (const route of Object.values(router.routesById)) void router.loadRouteChunk(route)
        for (const dialog of [ImportDialog, Palette]) dialog.preload().catch(() => {})
      }),
    [router],
  )
}
