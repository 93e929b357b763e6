import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { takes } from '#shared/workflows/takes.ts'
import { choose } from './choose.ts'
import { keyScope } from './matching.ts'
import { eventValues, maxReadOfTrigger, preparedCondition } from './trigger-condition.ts'

/** The parts of an event that decide which workflows it starts. */
type DecidingEvent = Pick<LoggedEvent, 'eventName' | 'connectionId' | 'headerLines'> & {
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Returns a function that counts the triggers that an event would start a run of. It counts one whose condition its run
 * has to decide, and looks up no key of `once`. Pure.
 */
export function startCounter(triggers: readonly WorkflowTrigger[]): (event: DecidingEvent) => number {
  const prepared = triggers.map(trigger => ({
    trigger,
    fits: trigger.when === undefined ? null : preparedCondition(trigger.when),
  }))
  return event => {
    const taking = prepared.filter(({ trigger }) => takes(trigger, event))
    const values = eventValues(keyScope(event, event.data), maxReadOfTrigger)
    const { fitting, undecided } = choose(taking, values, () => {})
    return fitting.length + undecided.length
  }
}
