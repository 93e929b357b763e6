import { type Compared, mostCompared } from '#main/storage/measured.ts'
import type { PayloadDetails } from '#shared/model/alert.ts'
import type { PayloadNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** Fewer events tell nothing of a payload. */
const least = 5
const percent = 90

/** The payloads of an event differ from its sample. */
export const payload: Rule<PayloadNumbers> = {
  unit: 'percent',
  read({ connection, thresholds, compared, workflows }, _now, previous) {
    const { enabled, mutedEvents } = thresholds.payload
    const { eventName, differs } = compared
    if (!enabled || !connection.enabled || mutedEvents.includes(eventName)) return null
    const { of, differing } = countsOf(differs)
    const value = (differing * 100) / of
    const opens = of >= least && value >= percent
    const count = compared.fields.length
    const { name, persistEvents } = connection
    return {
      ...{ opens, isCalm: of >= mostCompared && differing === 0, calmMs: 0 },
      ...{ value: Math.round(value * 10) / 10, threshold: percent },
      message: () =>
        `${count} ${count === 1 ? 'field of an event differs' : 'fields of an event differ'} from the sample: ${eventName} of ${name}.`,
      // All workflows are read for them, and only a new alert has them.
      ...(opens && previous === null && { details: payloadDetails(compared, persistEvents, workflows()) }),
    }
  },
}

function countsOf(differs: string): Pick<PayloadDetails, 'of' | 'differing'> {
  return { of: differs.length, differing: differs.replaceAll('0', '').length }
}

/** Returns how events differ from their sample. @param isStored whether their values may be shown, not only their types. */
export function payloadDetails(
  { differs, fields }: Pick<Compared, 'differs' | 'fields'>,
  isStored: boolean,
  workflows: readonly string[],
): PayloadDetails {
  const { of, differing } = countsOf(differs)
  type Value = Compared['fields'][number]['now']
  const shown = (value: Value) => value && ((isStored ? value.text : null) ?? value.type)
  return {
    ...{ of, differing, workflows: [...workflows] },
    fields:
      differing === 0
        ? []
        : fields.map(field => ({ ...field, sample: shown(field.sample), now: shown(field.now) })),
  }
}
