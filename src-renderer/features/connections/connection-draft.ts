import { type Connection, ConnectionChange } from '#shared/model/connection.ts'
import type { Fields } from '../../ui/draft/draft.ts'

type DraftField = 'name' | 'baseUrl' | 'timeoutMs' | 'retention.maxEvents' | 'retention.maxDays'

/** The values typed in the form. A number that was cleared is an empty text, and the timeout is in seconds. */
export type ConnectionDraft = Readonly<Record<DraftField, string | number>>

/** The inputs by the path of their field, in the order of the form. */
export const connectionFields: Required<Fields<ConnectionDraft>> = {
  name: 'name',
  baseUrl: 'base URL',
  timeoutMs: { label: 'timeout', show: seconds => `${seconds} s` },
  'retention.maxEvents': 'events kept',
  'retention.maxDays': 'days kept',
}

type Settings = Pick<Connection, 'name' | 'baseUrl' | 'timeoutMs' | 'retention'>

export function draftOf({ name, baseUrl, timeoutMs, retention }: Settings): ConnectionDraft {
  return {
    name,
    baseUrl: baseUrl ?? '',
    timeoutMs: timeoutMs / 1000,
    'retention.maxEvents': retention.maxEvents,
    'retention.maxDays': retention.maxDays,
  }
}

/** The inputs for numbers. `problem` is shown for a value outside the bounds of the model. */
export const numberInputs = [
  {
    field: 'timeoutMs',
    label: 'Call timeout',
    help: '1 to 120 s, for a whole call.',
    problem: 'A call may take 1 to 120 seconds.',
    decimalScale: 3,
    suffix: ' s',
  },
  {
    field: 'retention.maxEvents',
    label: 'Events kept',
    help: 'At most 10,000,000.',
    problem: 'Keep 1 to 10,000,000 events.',
    decimalScale: 0,
    suffix: '',
  },
  {
    field: 'retention.maxDays',
    label: 'Days kept',
    help: 'Whichever comes first.',
    problem: 'Keep events for 1 to 3,650 days.',
    decimalScale: 0,
    suffix: '',
  },
] as const

/** Validates the changed fields of a draft like the service, and returns the change that saves them. */
function parseDraft(draft: ConnectionDraft, changed: readonly string[]) {
  const ifChanged = (field: DraftField, value: unknown) => (changed.includes(field) ? value : undefined)
  const number = (field: DraftField) => ifChanged(field, Number.parseFloat(String(draft[field])))
  const baseUrl = String(draft.baseUrl).trim()
  return ConnectionChange.safeParse({
    name: ifChanged('name', draft.name),
    baseUrl: ifChanged('baseUrl', baseUrl === '' ? null : baseUrl),
    timeoutMs: ifChanged('timeoutMs', Math.round(Number.parseFloat(String(draft.timeoutMs)) * 1000)),
    retention: changed.some(field => field.startsWith('retention.'))
      ? { maxEvents: number('retention.maxEvents'), maxDays: number('retention.maxDays') }
      : undefined,
  })
}

/** Returns the change that saves the changed fields of a valid draft. */
export function changeOf(draft: ConnectionDraft, changed: readonly string[]): ConnectionChange {
  return parseDraft(draft, changed).data ?? {}
}

/** Returns the problems of the changed fields, by field. */
export function draftProblems(draft: ConnectionDraft, changed: readonly string[]): Record<string, string> {
  const issues = parseDraft(draft, changed).error?.issues ?? []
  return Object.fromEntries(
    issues.map(({ path, message }) => {
      const field = path.join('.')
      return [field, numberInputs.find(input => input.field === field)?.problem ?? message]
    }),
  )
}
