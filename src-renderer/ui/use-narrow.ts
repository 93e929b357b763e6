import { useMediaQuery } from '@mantine/hooks'

const narrow = '(max-width: 999px)'

/** Returns whether the window only has room for one pane at a time. */
export function useNarrow(): boolean {
  return useMediaQuery(narrow, window.matchMedia(narrow).matches)
}
