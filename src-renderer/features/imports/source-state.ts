import type { PreviewState } from './use-import-preview.ts'

/**
 * Where the source of an import is: its text is being read or fetched; there is none; it is being checked for the first
 * time; its check has failed, or was cancelled; or it was checked, also before its last change.
 */
export type SourceState = 'reading' | 'fetching' | 'blank' | 'checking' | 'failed' | 'unchecked' | 'checked'

/** Returns the state that all parts of the step show. */
export function sourceStateOf(source: {
  readonly isReading: boolean
  readonly isFetching: boolean
  readonly isBlank: boolean
  readonly state: Pick<PreviewState, 'preview' | 'issues' | 'isChecking' | 'isCurrent' | 'error'>
}): SourceState {
  const { isReading, isFetching, isBlank, state } = source
  if (isReading) return 'reading'
  if (isFetching) return 'fetching'
  if (isBlank) return 'blank'
  if (state.error !== null && !state.isChecking && !state.isCurrent) return 'failed'
  if (state.preview !== null || state.issues.length > 0) return 'checked'
  return state.isChecking ? 'checking' : 'unchecked'
}
