import { type Connection, ConnectionChange } from '#shared/model/connection.ts'

/** What the Overview's form holds: as typed, a number that was cleared is an empty text. */
export type ConnectionDraft = {
  readonly name: string
  readonly baseUrl: string
  /** Shown in seconds, kept in milliseconds. */
  readonly timeoutSeconds: number | string
  readonly maxEvents: number | string
  readonly maxDays: number | string
}
export type DraftField = keyof ConnectionDraft

type Settings = Pick<Connection, 'name' | 'baseUrl' | 'timeoutMs' | 'retention'>

/** What each field is called where changes are told; in the order of the form. */
export const draftLabels: Readonly<Record<DraftField, string>> = {
  name: 'name',
  baseUrl: 'base URL',
  timeoutSeconds: 'timeout',
  maxEvents: 'events kept',
  maxDays: 'days kept',
}

export function draftOf({ name, baseUrl, timeoutMs, retention }: Settings): ConnectionDraft {
  return { name, baseUrl: baseUrl ?? '', timeoutSeconds: timeoutMs / 1000, ...retention }
}

type Judged =
  | { readonly ok: true; readonly change: ConnectionChange }
  | { readonly ok: false; readonly errors: Readonly<Partial<Record<DraftField, string>>> }

/** The fields among these names, in the order of the form. */
export function draftFields(names: readonly string[]): DraftField[] {
  const fields: readonly DraftField[] = ['name', 'baseUrl', 'timeoutSeconds', 'maxEvents', 'maxDays']
  return fields.filter(field => names.includes(field))
}

/**
 * The change that saving would make, or what is wrong by field, as the service itself would say it.
 *
 * @param changed fields that differ from what is saved; the others are left as they are.
 */
export function judgeDraft(draft: ConnectionDraft, changed: readonly DraftField[]): Judged {
  const value: Readonly<Record<DraftField, object>> = {
    name: { name: draft.name },
    baseUrl: { baseUrl: draft.baseUrl.trim() === '' ? null : draft.baseUrl },
    timeoutSeconds: { timeoutMs: Math.round(numberOf(draft.timeoutSeconds) * 1000) },
    maxEvents: { retention: { maxEvents: numberOf(draft.maxEvents) } },
    maxDays: { retention: { maxDays: numberOf(draft.maxDays) } },
  }
  const errors: Partial<Record<DraftField, string>> = {}
  let change: ConnectionChange = {}
  for (const field of changed) {
    const judged = ConnectionChange.safeParse(value[field])
    if (judged.success) {
      const retention = { ...change.retention, ...judged.data.retention }
      change = { ...change, ...judged.data, ...(Object.keys(retention).length > 0 ? { retention } : {}) }
    } else errors[field] = boundsInWords[field] ?? judged.error.issues[0]?.message ?? ''
  }
  return Object.keys(errors).length === 0 ? { ok: true, change } : { ok: false, errors }
}

/** Names and URLs have sentences of their own in the model. */
const boundsInWords: Readonly<Partial<Record<DraftField, string>>> = {
  timeoutSeconds: 'A call may take 1 to 120 seconds.',
  maxEvents: 'Keep 1 to 10,000,000 events.',
  maxDays: 'Keep events for 1 to 3,650 days.',
}

function numberOf(typed: number | string): number {
  return typeof typed === 'number' ? typed : Number.parseFloat(typed)
}

const fieldOfPath: Readonly<Record<string, DraftField>> = {
  name: 'name',
  baseUrl: 'baseUrl',
  timeoutMs: 'timeoutSeconds',
  'retention.maxEvents': 'maxEvents',
  'retention.maxDays': 'maxDays',
}

/** The service's issues by the field they stand at; those of no field are left to the toast. */
export function errorsByField(
  issues: readonly { readonly path: string; readonly message: string }[],
): Partial<Record<DraftField, string>> {
  const known = issues.flatMap(({ path, message }) => {
    const field = fieldOfPath[path]
    return field === undefined ? [] : [[field, message] as const]
  })
  return Object.fromEntries(known)
}
