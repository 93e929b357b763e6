import type { GraceHours } from '#shared/model/connection.ts'

/** How long a replaced secret stays valid: the choices, and what each is for where the service makes the secret. */
export const gracePeriods: readonly {
  readonly hours: GraceHours
  readonly label: string
  readonly help: string
}[] = [
  {
    hours: 0,
    label: 'Not at all',
    help: 'Senders with the old secret get 401 at once. For a secret that leaked.',
  },
  { hours: 1, label: '1 hour', help: 'For senders that you can change right now.' },
  { hours: 24, label: '24 hours', help: 'For senders that are deployed within a day.' },
  { hours: 168, label: '7 days', help: 'For senders that other people maintain.' },
]

/** Returns the hours of a choice, which controls name by a text; undefined for another text. */
export function graceHoursOf(value: string): GraceHours | undefined {
  return gracePeriods.find(({ hours }) => String(hours) === value)?.hours
}
