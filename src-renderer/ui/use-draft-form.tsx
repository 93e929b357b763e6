import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useIsMounted } from './focus.ts'
import { formatCount } from './format.ts'
import { fieldErrors } from './problem.ts'
import { SaveBar } from './save-bar.tsx'
import { toastProblem, toastUnlessInvalid } from './toasts.tsx'
import { useUnsavedGuard } from './use-unsaved-guard.tsx'

/** A draft on its way to the service, with the names of its changed fields. */
type Sent<T> = { readonly sent: T; readonly fields: readonly string[] }

/** Problems, by field. */
type Problems = Readonly<Partial<Record<string, string>>>

/**
 * Returns the draft of a form with the bar that saves it. Asks before changes are lost. The bar names the fields that
 * were also saved elsewhere since they were changed here: the user saves to replace that value, or discards to see it.
 *
 * @param options.saved the values as they are saved now. Fields that the user has not changed follow them.
 * @param options.validate returns the problems of a draft by field. A draft with problems is not sent.
 * @param options.isLive whether these problems are shown while typing; by default only after an attempt to save.
 * @param options.isUntouched whether a problem is of a new part that nobody has edited. It is shown after an attempt to save.
 * @param options.isBlocked whether there are changes that the draft cannot hold yet, such as invalid JSON. They are not
 * saved, and leaving asks.
 * @param options.save saves a draft. What it throws is shown beside the fields or in a toast.
 * @param options.onSaved called with the result of `save` if the form is still open and not being left.
 * @param options.name completes “Your changes to …”.
 * @param options.failed the title of that toast.
 * @param options.summary completes “Unsaved: …”.
 * @param options.unsaved the text of the bar for something new. The bar is then always shown.
 */
export function useDraftForm<T extends object, Saved = void>(options: {
  readonly saved: T
  readonly validate?: (draft: T, changed: readonly string[]) => Problems
  readonly isLive?: boolean
  readonly isUntouched?: ((field: string, draft: T) => boolean) | undefined
  readonly isBlocked?: boolean
  readonly save: (draft: T, changed: readonly string[]) => Promise<Saved>
  readonly onSaved?: (result: Saved) => void
  readonly onDiscard?: () => void
  readonly name: string
  readonly failed: string
  readonly summary: (draft: T, changed: readonly string[]) => string
  readonly unsaved?: string | undefined
  readonly note?: string
  readonly saveLabel?: string
}) {
  const { validate, isLive = false, isUntouched, isBlocked = false } = options
  const { onSaved, onDiscard, name, failed, summary, unsaved, note, saveLabel } = options
  const { draft, changed, overtaken, set, discard, settle } = useDraft(options.saved)
  const [isAttempted, setIsAttempted] = useState(false)
  const isMounted = useIsMounted()
  const isLeaving = useRef(false)
  const isDirty = changed.length > 0 || isBlocked
  const found = validate?.(draft, changed) ?? {}
  const isValid = Object.values(found).every(problem => problem === undefined)
  const shown: Problems = Object.fromEntries(
    Object.entries(found).filter(
      ([field, problem]) =>
        problem !== undefined && (isAttempted || (isLive && isUntouched?.(field, draft) !== true)),
    ),
  )
  const count = Object.keys(shown).length
  const saving = useMutation({
    mutationFn: ({ sent, fields }: Sent<T>) => options.save(sent, fields),
    onSuccess(result, { sent }) {
      // At once, so that `onSaved` may leave the form without being asked about unsaved changes.
      flushSync(() => {
        settle(sent)
        setIsAttempted(false)
      })
      if (isMounted() && !isLeaving.current) onSaved?.(result)
    },
    onError(error, variables) {
      const retry = () => saving.mutate(variables)
      // Problems of fields are shown beside them, as long as the form is open.
      if (isMounted() && !isLeaving.current) toastUnlessInvalid(failed, error, retry)
      else toastProblem(failed, error, retry)
    },
  })
  async function save(): Promise<boolean> {
    setIsAttempted(true)
    if (isBlocked || !isValid) return false
    return saving.mutateAsync({ sent: draft, fields: changed }).then(
      () => true,
      () => false,
    )
  }
  useUnsavedGuard({
    // A draft that is being saved is not lost. Its toast offers to try again.
    isDirty: isDirty && !saving.isPending,
    what: name,
    saveLabel,
    async save() {
      isLeaving.current = true
      return save().finally(() => {
        isLeaving.current = false
      })
    },
  })
  function change(next: Partial<T>): void {
    set(next)
    // A save in flight keeps its observer, which reports its outcome.
    if (!saving.isPending) saving.reset()
  }
  const saveBar = (isDirty || unsaved !== undefined) && (
    <SaveBar
      what={unsaved ?? `Unsaved: ${summary(draft, changed)}`}
      // While saving, what was saved is not from elsewhere.
      elsewhere={saving.isPending || overtaken.length === 0 ? undefined : summary(draft, overtaken)}
      note={isLive && count > 0 ? `${formatCount(count, 'problem')} to solve` : note}
      saveLabel={saveLabel}
      saving={saving.isPending}
      onSave={() => void save()}
      onDiscard={() => {
        discard()
        saving.reset()
        setIsAttempted(false)
        onDiscard?.()
      }}
    />
  )
  const problems: Problems = { ...shown, ...fieldErrors(saving.error) }
  return { draft, changed, isDirty, change, problems, saveBar }
}

type Edits<T> = { readonly changes: Partial<T>; readonly bases: Partial<T> }
const noEdits = { changes: {}, bases: {} }

/** Holds the changes to saved values. A field that the user has not changed follows the saved value. */
function useDraft<T extends object>(saved: T) {
  /** `bases`: what was saved when each field was changed. */
  const [{ changes, bases }, setEdits] = useState<Edits<T>>(noEdits)
  const draft: T = { ...saved, ...changes }
  const isSaved = (key: string, values: Partial<T>) =>
    isSame(Reflect.get(values, key), Reflect.get(saved, key))
  const changed = Object.keys(changes).filter(key => !isSaved(key, changes))
  return {
    draft,
    /** The names of the fields that differ from the saved values. */
    changed,
    /** Those whose saved value is another one since they were changed. */
    overtaken: changed.filter(key => Object.hasOwn(bases, key) && !isSaved(key, bases)),
    set: (change: Partial<T>) =>
      setEdits(before => {
        const next = { changes: { ...before.changes, ...change }, bases: { ...before.bases } }
        for (const key of Object.keys(change))
          if (!Object.hasOwn(before.bases, key) || isSaved(key, before.changes))
            Reflect.set(next.bases, key, Reflect.get(saved, key))
        return next
      }),
    discard: () => setEdits(noEdits),
    /** Records that a draft was saved. Its fields follow the saved values again, except those edited since. */
    settle: (sent: T) =>
      setEdits(before => {
        const since = { ...before.changes }
        for (const [key, value] of Object.entries(sent))
          if (Object.is(value, Reflect.get(since, key))) Reflect.deleteProperty(since, key)
        // The service may have saved other values than it was sent, for example without spaces at the ends.
        return { changes: since, bases: {} }
      }),
  }
}

/** Returns whether two values of a field are saved as the same JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other)
}
