import { useMediaQuery } from '@mantine/hooks'

const narrow = '(max-width: 999px)'

/** Whether the window is so narrow that one pane is shown at a time (design: Layout). */
export function useNarrow(): boolean {
  return useMediaQuery(narrow, window.matchMedia(narrow).matches)
}
