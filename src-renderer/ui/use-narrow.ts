import { useMediaQuery } from '@mantine/hooks'

const narrow = '(max-width: 999px)'
/** As in the sheets. */
const phone = '(max-width: 599px)'

/** Returns whether the window only has room for one pane at a time. */
export function useNarrow(): boolean {
  return useMediaQuery(narrow, window.matchMedia(narrow).matches)
}

/** Returns whether the window is as narrow as a phone, or as a zoom of 400 % makes it. */
export function usePhone(): boolean {
  return useMediaQuery(phone, window.matchMedia(phone).matches)
}
