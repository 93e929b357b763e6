import { useMemo, useState } from 'react'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import type { SampleEvent } from './sample.ts'
import type { ChosenEvent } from './test-panel.tsx'
import type { TriggerEvents } from './use-events.ts'

/** Returns the event that templates are tried with: the newest one until another is chosen. */
export function useChosenEvent({ events, isReading }: TriggerEvents, trigger: WorkflowTrigger): ChosenEvent {
  const [id, setId] = useState<string | null>(null)
  const [dataText, setDataText] = useState('{}')
  const { connectionId, eventName } = trigger
  const typed = useMemo((): SampleEvent => {
    // A filter with `.*` is not the name of an event.
    const name = eventName === null || eventName.endsWith('.*') ? 'test' : eventName
    return {
      id: 'typed',
      kind: 'typed',
      connectionId: connectionId ?? '',
      eventName: name,
      subject: null,
      receivedAt: null,
      dataText,
    }
  }, [connectionId, eventName, dataText])
  const event = id === 'typed' ? typed : (events.find(one => one.id === id) ?? events[0] ?? typed)
  return {
    event,
    isReading: isReading && events.length === 0 && id === null,
    isEmpty: event.kind === 'typed' && id === null,
    choose(next) {
      // The edited text begins as the event that was shown.
      if (next === 'typed' && event.kind !== 'typed') setDataText(event.dataText)
      setId(next)
    },
    type(text) {
      setId('typed')
      setDataText(text)
    },
  }
}
