import { type DraftState, type Fields, fieldOf, isSame, type Key, merge, pick, startDraft } from './draft.ts'
import { record as recordChange } from './history.ts'
import { isSameJson, withoutSecretTexts, withSecretsOf } from './without-secrets.ts'

/** The changed fields of a form, as the browser stores them. */
export type StoredFields = {
  readonly values: Readonly<Record<string, unknown>>
  /** The values of the record that they are changes to. */
  readonly before: Readonly<Record<string, unknown>>
  /** The names of what was typed and is not stored. */
  readonly missing: readonly string[]
}

/** Returns what the browser may store of a draft; null if nothing was changed. */
export function storedFieldsOf<T extends object>(
  fields: Fields<T>,
  base: T,
  draft: T,
  missing: readonly string[] = [],
): StoredFields | null {
  const values: Record<string, unknown> = {}
  const before: Record<string, unknown> = {}
  const names = new Set(missing)
  for (const key of changedKeys(fields, base, draft)) {
    const { stored = itself, completed = itself, label, missing = label } = fieldOf(fields, key)
    if (stored === null) {
      names.add(missing)
      continue
    }
    const own = stored(draft[key])
    values[key] = withoutSecretTexts(own)
    before[key] = withoutSecretTexts(stored(base[key]))
    const whole = withSecretsOf(values[key], before[key], stored(base[key]))
    if (!isSameJson(whole, own)) names.add(`credentials in the ${label}`)
    const restored = { ...draft, [key]: completed(own, base[key]) }
    if (!isSame(fields, key, restored, draft)) names.add(missing)
  }
  if (Object.keys(values).length === 0 && names.size === 0) return null
  return { values, before, missing: [...names] }
}

/**
 * Returns the draft of a record with the fields that were stored. Those that others have changed meanwhile are conflicts.
 *
 * @param isOwn whether this version of the dashboard stored them. Of those of another one, only texts, numbers and
 * switches are taken.
 * @returns the names of the other fields in `missing`.
 */
export function restoreDraft<T extends object, R>(
  fields: Fields<T>,
  record: R,
  base: T,
  stored: StoredFields,
  isOwn: boolean,
): { readonly state: DraftState<T, R>; readonly missing: readonly string[] } {
  const missing = new Set(stored.missing)
  const mine = { ...base }
  const was = { ...base }
  for (const key of namesOf(base, stored.values)) {
    const { completed = itself, stored: storedOf, label } = fieldOf(fields, key)
    const before = stored.before[key]
    const own = storedOf?.(base[key]) ?? base[key]
    const rest = withoutSecretTexts(own)
    const value = withSecretsOf(stored.values[key], rest, own)
    if (fits<T>(value, base[key], isOwn)) {
      mine[key] = completed(value, base[key])
      // Nobody has changed what was left out.
      if (!isSameJson(before, rest) && fits<T>(before, base[key], isOwn))
        was[key] = completed(before, base[key])
    } else missing.add(label)
  }
  const { draft, conflicts } = merge(fields, was, mine, base)
  const { history, ...start } = startDraft(record, base)
  return {
    state: { ...start, history: recordChange(history, draft), before: pick(was, conflicts) },
    missing: [...missing],
  }
}

const itself = <V>(value: V): V => value

function changedKeys<T extends object>(fields: Fields<T>, base: T, draft: T): Key<T>[] {
  return namesOf({ ...base, ...draft }).filter(key => !isSame(fields, key, base, draft))
}

/** Returns the fields of a draft, or those of them that something else has too. */
function namesOf<T extends object>(draft: T, other: object = draft): Key<T>[] {
  return Object.keys(other).filter((key): key is Key<T> => Object.hasOwn(draft, key))
}

/** Whether a stored value can be one of a field. */
function fits<T>(value: unknown, base: T[Key<T>], isOwn: boolean): value is T[Key<T>] {
  if (value === undefined) return false
  const isPlain = typeof value !== 'object'
  return isOwn || (isPlain && typeof value === typeof base)
}
