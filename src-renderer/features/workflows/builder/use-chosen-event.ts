import { useMemo, useState } from 'react'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { namesOf, takes } from '#shared/workflows/takes.ts'
import { useStoredFields } from '../../../ui/draft/use-stored-fields.tsx'
import type { SampleEvent } from './sample.ts'
import type { TriggerEvents } from './use-events.ts'

type Typed = { readonly dataText: string }
const nothing: Typed = { dataText: '{}' }
const typedFields = { dataText: 'payload' }

/** The event that the previews and the test run use. */
export type ChosenEvent = ReturnType<typeof useChosenEvent>

/**
 * Returns the event that templates are tried with: the newest one when the workflow was opened, until another is chosen
 * or the trigger no longer takes it. Events that arrive do not change it.
 */
export function useChosenEvent(
  { events, isReading }: TriggerEvents,
  trigger: WorkflowTrigger,
  workflowId: string,
) {
  const stored = useStoredFields<Typed>(`workflow-event/${workflowId}`, typedFields, nothing)
  const { dataText } = stored.values
  const [chosen, setChosen] = useState<SampleEvent | 'typed' | null>(dataText === '{}' ? null : 'typed')
  const setDataText = (text: string) => stored.change({ dataText: text })
  const { connectionId } = trigger
  // A filter with `.*` is not the name of an event.
  const name = namesOf(trigger)?.find(one => !one.endsWith('.*')) ?? 'test'
  const typed = useMemo((): SampleEvent => {
    return {
      id: 'typed',
      kind: 'typed',
      connectionId: connectionId ?? '',
      eventName: name,
      subject: null,
      receivedAt: null,
      dataText,
    }
  }, [connectionId, name, dataText])
  const kept = chosen === null || chosen === 'typed' || !takes(trigger, chosen) ? null : chosen
  // While the trigger is typed, the chosen event may match again in a moment.
  if (chosen !== 'typed' && kept === null && !isReading && chosen !== (events[0] ?? null))
    setChosen(events[0] ?? null)
  // A sample may have been edited since it was chosen.
  const event = kept === null ? typed : (events.find(({ id }) => id === kept.id) ?? kept)
  return {
    event,
    /** Says what was restored after a reload. */
    note: stored.note,
    /** The events to choose from. The chosen one stays among them after newer ones have taken its place. */
    events: kept === null || events.some(({ id }) => id === kept.id) ? events : [...events, kept],
    /** Whether the stored events and samples are still being read. */
    isReading: isReading && kept === null && chosen !== 'typed',
    /** Whether there is no event, and none was typed. */
    isEmpty: kept === null && chosen !== 'typed',
    choose(id: string) {
      // The edited text begins as the event that was shown.
      if (id === 'typed' && event.kind !== 'typed') setDataText(event.dataText)
      setChosen(id === 'typed' ? 'typed' : (events.find(one => one.id === id) ?? kept))
    },
    type(text: string) {
      setChosen('typed')
      setDataText(text)
    },
  }
}
