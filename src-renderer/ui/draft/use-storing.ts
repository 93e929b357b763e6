import { useEffect, useEffectEvent } from 'react'
import { type DraftState, type Fields, startDraft } from './draft.ts'
import { drafts } from './drafts.ts'
import type { Restored } from './restored-note.tsx'
import { restoreDraft, storedFieldsOf } from './stored-draft.ts'

/** A draft as a form opens with it. `restored` is null without anything from an earlier page of this tab. */
export type OpenedDraft<T, R> = { readonly state: DraftState<T, R>; readonly restored: Restored | null }

/** Returns the draft of a record, with what an earlier page of this tab has stored. */
export function openDraft<T extends object, R>(
  storedAs: string,
  fields: Fields<T>,
  record: R,
  base: T,
): OpenedDraft<T, R> {
  const fresh = { state: startDraft(record, base), restored: null }
  const stored = drafts.take(storedAs)
  if (stored === null) return fresh
  const { state, missing } = restoreDraft(fields, record, base, stored, drafts.isOwn(stored))
  if (missing.length === 0 && state.history.past.length === 0) return fresh
  return { state, restored: { at: stored.at, missing } }
}

/**
 * Stores what was changed in a form while it is open.
 *
 * @param how.isChanged whether the user has changed it.
 * @param how.missing names what was typed and is never stored.
 * @param how.at when it was changed, if that was on an earlier page.
 */
export function useStoring<T extends object>(
  storedAs: string,
  how: {
    readonly fields: Fields<T>
    readonly base: T
    readonly draft: T
    readonly isChanged: boolean
    readonly missing: readonly string[]
    readonly at: number | undefined
  },
): void {
  const { fields, base, draft, isChanged, missing, at } = how
  const store = useEffectEvent(() => {
    if (!isChanged && missing.length === 0) drafts.forget(storedAs)
    else drafts.keep(storedAs, () => storedFieldsOf(fields, base, draft, missing), at)
  })
  const names = missing.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something else is to be stored
  useEffect(() => store(), [storedAs, base, draft, isChanged, names])
  useEffect(() => () => drafts.forget(storedAs), [storedAs])
}
