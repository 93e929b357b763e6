import { amend, changeAll, type History, record, redo, startHistory, undo } from './history.ts'

/** How a field of a draft is named, compared and shown. */
export type Field<V> = {
  /** “base URL”. */
  readonly label: string
  /** Returns the value as it is saved. Values that are saved as the same JSON are the same. */
  readonly saved?: (value: V) => unknown
  /** Returns the value in words, for a conflict. @param before the value that both sides changed. */
  readonly show?: (value: V, before: V) => string
  /** Returns a value with the changes of both sides, for a field of independent parts. Null if they contradict. */
  readonly merge?: (before: V, mine: V, theirs: V) => V | null
  /** Returns the part of a value that the browser may store: no secret, no value of a header. Null if it may store none. */
  readonly stored?: ((value: V) => V) | null
  /** Completes a stored value with what the record has. */
  readonly completed?: (stored: V, base: V) => V
  /** Names the part that is not stored; by default the label. */
  readonly missing?: string
}

/** The fields of a draft in the order of the form; a text is a label. What is not named here is not saved by itself. */
export type Fields<T> = { readonly [K in keyof T]?: string | Field<T[K]> }
export type Key<T> = keyof T & string

/** A draft, and the record that it is a change to. */
export type DraftState<T, R> = {
  readonly record: R
  /** The values of the record. */
  readonly base: T
  readonly history: History<T>
  /** The earlier values of the fields that were changed here and elsewhere. */
  readonly before: Partial<T>
}

/** A field that was changed here and elsewhere to different values. */
export type Conflict<T> = {
  readonly key: Key<T>
  readonly label: string
  readonly mine: string
  readonly theirs: string
}

export function startDraft<T, R>(record: R, base: T): DraftState<T, R> {
  return { record, base, history: startHistory(base), before: {} }
}

/** Returns the fields whose values differ, in the order of the form. */
export function changesOf<T extends object>(fields: Fields<T>, base: T, draft: T): Key<T>[] {
  return keysOf(fields).filter(key => !isSame(fields, key, base, draft))
}

/** Returns the names of fields, each once: “name, base URL”. After three, it counts the others. */
export function labelsOf<T extends object>(fields: Fields<T>, keys: readonly Key<T>[]): string {
  const labels = [...new Set(keys.map(key => fieldOf(fields, key).label))]
  const more = labels.length - mostNamed
  return more <= 1 ? labels.join(', ') : `${labels.slice(0, mostNamed).join(', ')} and ${more} more`
}
const mostNamed = 3

/** Returns some fields of an object. */
export function pick<T extends object>(from: T, keys: readonly string[]): Partial<T> {
  const picked: Partial<T> = {}
  for (const key of keys) Reflect.set(picked, key, Reflect.get(from, key))
  return picked
}

/**
 * Returns the draft with what others have changed since `base`, and the fields that both sides changed to different
 * values. Those keep the value of the draft.
 */
export function merge<T extends object>(fields: Fields<T>, base: T, draft: T, theirs: T) {
  const here = changesOf(fields, base, draft)
  const there = changesOf(fields, base, theirs)
  const taken = pick(
    theirs,
    there.filter(key => !here.includes(key)),
  )
  const conflicts: Key<T>[] = []
  for (const key of there) {
    if (!here.includes(key) || isSame(fields, key, draft, theirs)) continue
    const merged = fieldOf(fields, key).merge?.(base[key], draft[key], theirs[key]) ?? null
    if (merged === null) conflicts.push(key)
    else taken[key] = merged
  }
  return { draft: Object.keys(taken).length === 0 ? draft : { ...draft, ...taken }, conflicts }
}

/** Merges two changes of a record by its keys. Returns null if both sides have changed one key to different texts. */
export function mergeEntries(
  before: Readonly<Record<string, string>>,
  mine: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): Record<string, string> | null {
  const merged = new Map(Object.entries(theirs))
  const [was, here] = [new Map(Object.entries(before)), new Map(Object.entries(mine))]
  for (const key of new Set([...was.keys(), ...here.keys()])) {
    const text = here.get(key)
    if (text === was.get(key)) continue
    const other = merged.get(key)
    if (other !== was.get(key) && other !== text) return null
    if (text === undefined) merged.delete(key)
    else merged.set(key, text)
  }
  return Object.fromEntries(merged)
}

/** Continues from a record that others have changed. Undo does not take their changes back. */
export function rebase<T extends object, R>(
  fields: Fields<T>,
  state: DraftState<T, R>,
  record: R,
  theirs: T,
): DraftState<T, R> {
  const history = changeAll(state.history, draft => merge(fields, state.base, draft, theirs).draft)
  const before = { ...state.base, ...state.before }
  const { conflicts } = merge(fields, before, history.present, theirs)
  return { record, base: theirs, history, before: pick(before, conflicts) }
}

/** Continues from the record that saving `sent` has given. Edits made since then stay. */
export function accept<T extends object, R>(
  fields: Fields<T>,
  state: DraftState<T, R>,
  sent: T,
  record: R,
  saved: T,
): DraftState<T, R> {
  const history = changeAll(state.history, draft => merge(fields, sent, draft, saved).draft)
  return { ...state, record, base: saved, history: { ...history, tag: null } }
}

/** Returns the conflicts that the user has not ended by a choice, or by typing the other value. */
export function conflictsOf<T extends object>(
  fields: Fields<T>,
  { base, history, before }: DraftState<T, unknown>,
): Conflict<T>[] {
  if (Object.keys(before).length === 0) return []
  const was = { ...base, ...before }
  return changesOf(fields, base, history.present)
    .filter(key => Object.hasOwn(before, key))
    .map(key => ({
      key,
      label: fieldOf(fields, key).label,
      ...shownOf(fields, key, was, history.present, base),
    }))
}

/** Ends the conflict of a field. The next save writes the draft's value. */
export function keepMine<T, R>(state: DraftState<T, R>, key: Key<T>): DraftState<T, R> {
  const before = { ...state.before }
  delete before[key]
  return { ...state, before }
}

/** Ends the conflict of a field with the value of the others. */
export function takeTheirs<T, R>(state: DraftState<T, R>, key: Key<T>, keepsPast: boolean): DraftState<T, R> {
  return editDraft(
    keepMine(state, key),
    before => ({ ...before, [key]: state.base[key] }),
    keepsPast ? null : undefined,
  )
}

/**
 * Changes the draft.
 *
 * @param tag names the change: consecutive ones with one tag are undone together. Null if it stands alone; undefined if
 * it cannot be undone by itself.
 */
export function editDraft<T, R>(
  state: DraftState<T, R>,
  change: (draft: T) => T,
  tag: string | null | undefined,
): DraftState<T, R> {
  const { history } = state
  const next = change(history.present)
  return { ...state, history: tag === undefined ? amend(history, next) : record(history, next, tag) }
}

export const undoDraft = <T, R>(state: DraftState<T, R>): DraftState<T, R> => ({
  ...state,
  history: undo(state.history),
})
export const redoDraft = <T, R>(state: DraftState<T, R>): DraftState<T, R> => ({
  ...state,
  history: redo(state.history),
})

/** The outcome of a save. `saved` is null if others have changed the same fields: nothing was saved then. */
export type Outcome<T, R> = {
  readonly sent: T
  /** The record that `sent` is a change to, and its values. */
  readonly record: R
  readonly base: T
  readonly saved: NonNullable<R> | null
  /** Why nothing was saved. */
  readonly refusal?: unknown
}

/** How often a save starts again because somebody else was faster. */
const maxMerges = 5

/**
 * Saves a draft. If the record was changed meanwhile, adds those changes to the draft and saves again at once, unless
 * both sides have changed the same field.
 *
 * @param how.save makes the change only if the record is still the same. What it throws is thrown, save for a refusal
 * that `currentOf` knows.
 * @param how.currentOf returns the record as it is now, from the refusal of a change that was made for an older one; null
 * for any other error.
 */
export async function saveMerging<T extends object, R>(
  how: {
    readonly fields: Fields<T>
    readonly draftOf: (record: R) => T
    readonly save: (sent: T, changed: readonly Key<T>[], record: R) => Promise<NonNullable<R>>
    readonly currentOf: (error: unknown) => NonNullable<R> | null
  },
  draft: T,
  from: Pick<DraftState<T, R>, 'record' | 'base'>,
): Promise<Outcome<T, R>> {
  const { fields, draftOf, save, currentOf } = how
  let { record, base } = from
  let sent = draft
  for (let merges = 0; ; merges++)
    try {
      const saved = await save(sent, changesOf(fields, base, sent), record)
      return { sent, record, base, saved }
    } catch (error) {
      const current = currentOf(error)
      if (current === null || merges === maxMerges) throw error
      const theirs = draftOf(current)
      const merged = merge(fields, base, sent, theirs)
      if (merged.conflicts.length > 0)
        return { sent, record: current, base: theirs, saved: null, refusal: error }
      sent = merged.draft
      record = current
      base = theirs
      // Both sides have made the same change.
      if (changesOf(fields, base, sent).length === 0) return { sent, record, base, saved: current }
    }
}

export function keysOf<T>(fields: Fields<T>): Key<T>[] {
  return Object.keys(fields).filter((key): key is Key<T> => Object.hasOwn(fields, key))
}

export function fieldOf<T, K extends Key<T>>(fields: Fields<T>, key: K): Field<T[K]> {
  const field: string | Field<T[K]> | undefined = fields[key]
  return typeof field === 'object' ? field : { label: field ?? key }
}

/** Returns whether a field is saved as the same in both drafts. */
export function isSame<T, K extends Key<T>>(fields: Fields<T>, key: K, one: T, other: T): boolean {
  if (Object.is(one[key], other[key])) return true
  const { saved = itself } = fieldOf(fields, key)
  return JSON.stringify(saved(one[key])) === JSON.stringify(saved(other[key]))
}

/** Returns two values in words; for long ones, the part from their first difference. */
function shownOf<T>(fields: Fields<T>, key: Key<T>, was: T, mine: T, theirs: T) {
  const { saved = itself, show } = fieldOf(fields, key)
  const words = (value: T[Key<T>]) => show?.(value, was[key]) ?? textOf(saved(value))
  const texts = { mine: words(mine[key]), theirs: words(theirs[key]) }
  if (Math.max(texts.mine.length, texts.theirs.length) <= maxShown) return texts
  let start = 0
  while (start < texts.mine.length && texts.mine[start] === texts.theirs[start]) start++
  const from = Math.max(0, start - shownBefore)
  const part = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + maxShown)}${text.length > from + maxShown ? '…' : ''}`
  return { mine: part(texts.mine), theirs: part(texts.theirs) }
}
/** In characters. */
const maxShown = 240
const shownBefore = 40

const itself = (value: unknown) => value

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
