import { useMediaQuery } from '@mantine/hooks'
import { narrowQuery } from './panes.tsx'

/** Whether the window is so narrow that one pane is shown at a time. */
export function useNarrow(): boolean {
  return useMediaQuery(narrowQuery, window.matchMedia(narrowQuery).matches)
}
