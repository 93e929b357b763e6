import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Issue } from '#shared/model/issue.ts'
import { useIsMounted } from '../focus.ts'
import { formatCount } from '../format.ts'
import { fieldErrors, problemOf } from '../problem.ts'
import { toastProblem } from '../toasts.tsx'
import { ConflictNote, focusConflict } from './conflict-note.tsx'
import {
  accept,
  changesOf,
  conflictsOf,
  type DraftState,
  editDraft,
  type Fields,
  type Key,
  keepMine,
  labelsOf,
  rebase,
  redoDraft,
  saveMerging,
  startDraft,
  takeTheirs,
  undoDraft,
} from './draft.ts'
import { RestoredNote } from './restored-note.tsx'
import { SaveBar } from './save-bar.tsx'
import { openDraft, useStoring } from './use-storing.ts'
import { type Place, useUnsavedGuard } from './use-unsaved-guard.tsx'

/** Problems, by field or by the path of a part of it. */
export type Problems = Readonly<Partial<Record<string, string>>>

/** How a draft is saved. */
type SaveHow<Saved> = {
  /** Whether the user is leaving, so the screen must stay as it is. */
  readonly leaving?: boolean
  /** Called with what was created before its own screen replaces this one. */
  readonly beforeOpening?: (saved: Saved) => void
}

/** How the draft of a record is named, checked and saved. */
export type DraftOptions<T extends object, R extends object | null> = {
  /** Names the record, or the new one, in what the browser stores: `action/act_…`. */
  readonly storedAs: string
  /** Names what is typed beside the fields and is never stored, such as a pasted request. */
  readonly unstored?: readonly string[]
  /** Names what is saved. Declare what does not depend on the component outside of it. */
  readonly fields: Fields<T>
  /** The record as it is saved now; null for a new one. One with an older `updatedAt` is ignored. */
  readonly saved: R
  /** Returns the draft of a record. */
  readonly draftOf: (record: R) => T
  /**
   * Saves the changed fields of a draft. With `ifUpdatedAt`, it does so only if nobody has changed the record. What it
   * throws is shown beside the fields or in a toast.
   */
  readonly save: (sent: T, changed: readonly Key<T>[], record: R) => Promise<NonNullable<R>>
  /** Parses the record of a refusal with `changed_meanwhile`. */
  readonly read?: (current: unknown) => NonNullable<R>
  /** Returns the problems of a draft by field. A draft with problems is not sent. */
  readonly validate?: (draft: T, changed: readonly Key<T>[]) => Problems
  /** Whether these problems are shown while typing; by default only after an attempt to save. */
  readonly isLive?: boolean
  /** Whether a problem is of a new part that nobody has edited. It is shown after an attempt to save. */
  readonly isUntouched?: ((field: string, draft: T) => boolean) | undefined
  /** Whether there is JSON that the draft cannot hold yet. It is not saved, and leaving asks. */
  readonly isBlocked?: boolean
  /** Decides whether a draft is sent, for a screen that shows problems in its own way. */
  readonly check?: (how: SaveHow<NonNullable<R>>) => boolean | Promise<boolean>
  /** Shows the problems of fields that the service found; by default they are in `problems`. */
  readonly onRefused?: (issues: readonly Issue[], how: SaveHow<NonNullable<R>>) => void
  /** Called with the saved record if the form is still open and not being left. */
  readonly onSaved?: (saved: NonNullable<R>) => void
  /** Called after a failed save keeps the user on the screen. */
  readonly onNotSaved?: () => void
  readonly onDiscard?: () => void
  /** Completes “Your changes to …”. */
  readonly name: string
  /** The title of the toast. */
  readonly failed: string
  /** Completes “Unsaved: …”; by default with the names of the fields. */
  readonly summary?: (draft: T, changed: readonly Key<T>[]) => string | null
  /** The text of the bar for something new. The bar is then always shown. */
  readonly unsaved?: string | undefined
  readonly note?: string
  readonly saveLabel?: string
  /** Whether to save is unusual: its button is not the primary one. */
  readonly isRisky?: boolean
  readonly isDanger?: boolean
  /** Whether changes can be undone. */
  readonly hasUndo?: boolean
  readonly staysAt?: (current: Place, next: Place) => boolean
}

/**
 * Holds the draft of a record: what was changed, its problems, and the bar that saves or discards it. Changes that others
 * save meanwhile become part of the draft. If both sides have changed the same field, the user chooses a value before the
 * draft is saved. Asks before changes are lost, and has them again after a reload.
 */
export function useDraft<T extends object, R extends object | null>(options: DraftOptions<T, R>) {
  type How = SaveHow<NonNullable<R>>
  const { storedAs, unstored = noNames, fields, saved, draftOf, validate } = options
  const { isLive = false, isUntouched, isBlocked = false } = options
  const {
    name,
    failed,
    unsaved,
    note,
    saveLabel,
    isRisky = false,
    isDanger = false,
    hasUndo = false,
  } = options
  const [opened] = useState(() => openDraft(storedAs, fields, saved, draftOf(saved)))
  const [state, setState] = useState(opened.state)
  const [restored, setRestored] = useState(opened.restored)
  /** The draft that the user finds, if something else has filled it in. */
  const [untouched, setUntouched] = useState<T | null>(null)
  const [seen, setSeen] = useState(saved)
  const [isSaving, setIsSaving] = useState(false)
  const [isAttempted, setIsAttempted] = useState(false)
  const [refused, setRefused] = useState<Problems>({})
  const isBusy = useRef(false)
  const isMounted = useIsMounted()
  const closeProblem = useRef<() => void>(undefined)
  const latestSave = useRef(save)
  useEffect(() => {
    latestSave.current = save
  })

  // While it is being saved, what comes from elsewhere may be the draft itself.
  if (saved !== seen && !isSaving) {
    setSeen(saved)
    if (isNewer(saved, state.record)) setState(rebase(fields, state, saved, draftOf(saved)))
  }

  const draft = state.history.present
  const changed = changesOf(fields, state.base, draft)
  const conflicts = conflictsOf(fields, state)
  const isDirty = changed.length > 0 || isBlocked
  const isTouched =
    isBlocked || (isDirty && (untouched === null || changesOf(fields, untouched, draft).length > 0))
  const found = validate?.(draft, changed) ?? {}
  const isValid = Object.values(found).every(problem => problem === undefined)
  const shown: Problems = Object.fromEntries(
    Object.entries(found).filter(
      ([field, problem]) =>
        problem !== undefined && (isAttempted || (isLive && isUntouched?.(field, draft) !== true)),
    ),
  )
  const count = Object.keys(shown).length

  /** Saves a draft that is a change to a record. @returns what was saved; null if nothing was. */
  async function send(
    sent: T,
    from: Pick<DraftState<T, R>, 'record' | 'base'>,
    how: How,
  ): Promise<NonNullable<R> | null> {
    const stays = () => isMounted() && how.leaving !== true
    closeProblem.current?.()
    setIsSaving(true)
    try {
      const outcome = await saveMerging({ fields, draftOf, save: options.save, currentOf }, sent, from)
      const { record, base, saved, refusal } = outcome
      const merged = (before: DraftState<T, R>) =>
        record === before.record ? before : rebase(fields, before, record, base)
      if (saved === null) {
        setState(merged)
        if (!isMounted()) showProblem(refusal, outcome.sent, { record, base }, how)
        return null
      }
      // At once, so that `onSaved` may leave the form without being asked about unsaved changes.
      flushSync(() => {
        setState(before => accept(fields, merged(before), outcome.sent, saved, draftOf(saved)))
        setIsAttempted(false)
        setRefused({})
        setRestored(null)
        setUntouched(null)
      })
      if (stays()) {
        how.beforeOpening?.(saved)
        options.onSaved?.(saved)
      }
      return saved
    } catch (error) {
      const { issues } = problemOf(error)
      if (isMounted() && issues.length > 0) {
        if (options.onRefused !== undefined) options.onRefused(issues, how)
        else setRefused(fieldErrors(error))
      }
      // Problems of fields are shown beside them, as long as the form is open.
      if (!stays() || issues.length === 0) showProblem(error, sent, from, how)
      return null
    } finally {
      setIsSaving(false)
    }
  }

  /** Shows why nothing was saved. “Try again” saves the draft as it is then; if the form is closed, the one that was sent. */
  function showProblem(error: unknown, ...[sent, from, how]: Parameters<typeof send>): void {
    closeProblem.current = toastProblem(failed, error, () =>
      isMounted() ? void latestSave.current({ ...how, leaving: false }) : void send(sent, from, how),
    )
  }

  function currentOf(error: unknown): NonNullable<R> | null {
    const { current } = problemOf(error)
    return current === undefined || options.read === undefined ? null : options.read(current)
  }

  /** Saves the draft, or shows why not. @returns what was saved; null if nothing was. */
  async function save(how: How = {}): Promise<NonNullable<R> | null> {
    if (isBusy.current) return null
    isBusy.current = true
    try {
      setIsAttempted(true)
      if (isBlocked || !isValid || !((await options.check?.(how)) ?? true)) return null
      if (conflicts.length > 0) {
        if (how.leaving !== true) focusConflict()
        return null
      }
      const result = await send(draft, state, how)
      if (result === null && how.leaving !== true) setTimeout(focusConflict)
      return result
    } finally {
      isBusy.current = false
    }
  }

  useUnsavedGuard({
    // A draft that is being saved is not lost. Its toast offers to try again.
    isDirty: isTouched && !isSaving,
    what: name,
    saveLabel,
    save: async () => (await save({ leaving: true })) !== null,
    onNotSaved() {
      focusConflict()
      options.onNotSaved?.()
    },
    ...(options.staysAt && { staysAt: options.staysAt }),
  })

  useStoring(storedAs, {
    ...{ fields, base: state.base, draft, isChanged: isTouched },
    // JSON that the draft cannot hold is lost.
    missing: [...unstored, ...(isBlocked ? ['the JSON'] : noNames), ...(restored?.missing ?? noNames)],
    at: state === opened.state ? restored?.at : undefined,
  })

  /** Changes the draft. Consecutive changes with one tag are undone together. */
  function change(next: Partial<T> | ((before: T) => Partial<T>), tag: string | null = null): void {
    const edit = (before: T) => ({ ...before, ...(typeof next === 'function' ? next(before) : next) })
    setState(before => editDraft(before, edit, hasUndo ? tag : undefined))
    setRefused({})
  }

  /** Fills in fields for the user, whom nothing asks about them. Does nothing to a draft that was restored. */
  function prefill(next: Partial<T>): void {
    if (opened.restored !== null) return
    const filled = { ...draft, ...next }
    setState(before => editDraft(before, one => ({ ...one, ...next }), undefined))
    if (!isTouched) setUntouched(filled)
  }

  function discard(): void {
    setRestored(null)
    setUntouched(null)
    setState(before =>
      hasUndo
        ? { ...editDraft(before, () => before.base, null), before: {} }
        : startDraft(before.record, before.base),
    )
    setRefused({})
    setIsAttempted(false)
    closeProblem.current?.()
    options.onDiscard?.()
  }

  const bar: ReactNode = (isDirty || unsaved !== undefined) && (
    <>
      {conflicts.length > 0 && !isSaving && (
        <ConflictNote
          conflicts={conflicts}
          canUndo={hasUndo}
          onKeepMine={key => setState(before => keepMine(before, key))}
          onTakeTheirs={key => {
            setState(before => takeTheirs(before, key, hasUndo))
            setRefused({})
          }}
        />
      )}
      <SaveBar
        what={
          isBlocked
            ? 'The JSON is not valid yet'
            : (unsaved ?? `Unsaved: ${options.summary?.(draft, changed) ?? labelsOf(fields, changed)}`)
        }
        note={isLive && count > 0 ? `${formatCount(count, 'problem')} to solve` : note}
        saveLabel={saveLabel}
        saving={isSaving}
        isRisky={isRisky}
        isDanger={isDanger}
        onSave={() => void save()}
        onDiscard={discard}
      />
    </>
  )
  const saveBar: ReactNode = (
    <>
      <RestoredNote
        restored={restored}
        onDiscard={isDirty ? discard : null}
        onClose={() => setRestored(null)}
      />
      {bar}
    </>
  )
  const { past, future } = state.history
  return {
    draft,
    /** The record that the draft is a change to. */
    record: state.record,
    /** The names of the changed fields. */
    changed,
    isDirty,
    change,
    prefill,
    /** Completes the last change, so that both are undone together. */
    amend: (next: Partial<T>) =>
      setState(before => editDraft(before, one => ({ ...one, ...next }), undefined)),
    undo: past.length === 0 ? null : () => setState(undoDraft),
    redo: future.length === 0 ? null : () => setState(redoDraft),
    problems: { ...shown, ...refused },
    save,
    isSaving,
    saveBar,
  }
}

const noNames: readonly string[] = []

/** Returns whether a record was saved later than another one; always true if either has no time. */
function isNewer(record: object | null, than: object | null): boolean {
  const [at, before] = [versionOf(record), versionOf(than)]
  return at === undefined || before === undefined || at > before
}

/** Returns when a record was changed, in ISO 8601; an empty text for never, and undefined if it has no such time. */
function versionOf(record: object | null): string | undefined {
  if (record === null || !('updatedAt' in record)) return undefined
  return typeof record.updatedAt === 'string' ? record.updatedAt : ''
}
