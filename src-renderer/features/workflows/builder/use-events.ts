import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { subjectOf } from '#shared/model/subject.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { takes } from '#shared/workflows/takes.ts'
import { api } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { dataOf, mergePayloads, type Payload, type SampleEvent } from './sample.ts'

const maxEvents = 20
const typingPauseMs = 200

/** An event name with its events of the last 24 hours. */
export type NamedCount = { readonly eventName: string; readonly count: number; readonly declared: boolean }

export type TriggerEvents = {
  /** The events to try the workflow with: the newest stored ones first, then the declared samples. */
  readonly events: readonly SampleEvent[]
  readonly isReading: boolean
  /** Names of the connection's events, the declared ones first. */
  readonly names: readonly NamedCount[]
  /** Events of the last 24 hours: all of the connections, and those that the trigger takes. Null while unknown. */
  readonly counts: { readonly received: number; readonly taken: number } | null
  /** The fields that any of the events has; null where none is known. */
  readonly payload: Payload | null
}

const none: readonly string[] = []

/** Returns what is known of the events that a trigger takes. @param eventId of an event to offer first, however old. */
export function useTriggerEvents(trigger: WorkflowTrigger, eventId: string | undefined): TriggerEvents {
  const { connectionId, eventName } = trigger
  const { workspace } = useWorkspace()
  // The service is not asked for each letter of a name that is typed.
  const [asked] = useDebouncedValue(eventName, typingPauseMs)
  const isExact = asked !== null && !asked.endsWith('.*')
  const statistics = useQuery(api.statistics.list.queryOptions({ input: {} })).data
  const figures = useQuery(
    api.workflows.trigger.queryOptions({
      input: {
        workspaceId: workspace?.workspaceId,
        connectionId: connectionId ?? undefined,
        eventName: asked ?? undefined,
      },
      enabled: workspace !== null,
      placeholderData: keepPreviousData,
    }),
  )
  const ids = figures.data?.connectionIds ?? none
  const wanted = useQuery(
    api.events.get.queryOptions({
      input: connectionId === null || eventId === undefined ? skipToken : { connectionId, eventId },
      retry: false,
    }),
  )
  const newest = statistics?.connections
    .filter(one => connectionId === null || one.connectionId === connectionId)
    .map(one => `${one.accepted} ${one.lastEvent?.eventId}`)
    .join()
  useEffect(() => {
    if (newest === undefined) return
    void queries.invalidateQueries({ queryKey: api.events.list.key() })
    void queries.invalidateQueries({ queryKey: api.workflows.trigger.key() })
  }, [newest])

  const stored = useQueries({
    queries: ids.map(id =>
      api.events.list.queryOptions({
        input: { connectionId: id, limit: maxEvents, ...(isExact && { eventName: asked }) },
      }),
    ),
  })
  const types = useQueries({
    queries: ids.map(id => api.eventTypes.list.queryOptions({ input: { connectionId: id } })),
  })
  const read = [...stored, ...types].map(({ data }) => data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of results is new at each render, its items are not
  const events = useMemo(() => {
    const received = ids.flatMap((id, index) =>
      withFirst(connectionId === id ? wanted.data : undefined, stored[index]?.data?.events ?? [])
        .filter(event => takes(trigger, { connectionId: id, eventName: event.eventName }))
        .map((event): SampleEvent => {
          const { eventId, eventName: name, receivedAt, dataText } = event
          const subject = subjectIn(dataText, name)
          return {
            id: eventId,
            kind: 'stored',
            connectionId: id,
            eventName: name,
            subject,
            receivedAt,
            dataText,
          }
        }),
    )
    const declared = ids.flatMap((id, index) =>
      (types[index]?.data ?? []).flatMap((type): SampleEvent[] => {
        const dataText = type.sampleText ?? (type.samplePayload && JSON.stringify(type.samplePayload))
        if (dataText === null || !takes(trigger, { connectionId: id, eventName: type.eventName })) return []
        return [
          {
            id: `sample:${type.eventTypeId}`,
            kind: 'sample',
            connectionId: id,
            eventName: type.eventName,
            subject: subjectIn(dataText, type.eventName),
            receivedAt: null,
            dataText,
          },
        ]
      }),
    )
    const newestFirst = received.sort((one, other) =>
      (other.receivedAt ?? '').localeCompare(one.receivedAt ?? ''),
    )
    const first = newestFirst.filter(({ id }) => id === eventId)
    const others = newestFirst.filter(({ id }) => id !== eventId)
    return [...first, ...others.slice(0, maxEvents), ...declared]
  }, [trigger, eventId, wanted.data, ids.join(), ...read])
  const payload = useMemo(() => {
    const samples = events.toSorted(
      (one, other) => Number(one.kind === 'stored') - Number(other.kind === 'stored'),
    )
    return mergePayloads(samples.map(event => dataOf(event.dataText)).filter(data => data !== null))
  }, [events])

  const { data } = figures
  return {
    events,
    isReading:
      asked !== eventName ||
      [figures, ...stored, ...types].some(
        ({ isPending, isPlaceholderData }) => isPending || isPlaceholderData,
      ) ||
      // A disabled query stays pending.
      (connectionId !== null && eventId !== undefined && wanted.isPending),
    names: data?.names ?? [],
    counts:
      data === undefined || figures.isPlaceholderData ? null : { received: data.received, taken: data.taken },
    payload,
  }
}

/** Returns events with one more, unless it is among them. */
function withFirst(first: StoredEvent | undefined, events: readonly StoredEvent[]): readonly StoredEvent[] {
  const isNew = first !== undefined && events.every(({ eventId }) => eventId !== first.eventId)
  return isNew ? [first, ...events] : events
}

function subjectIn(dataText: string, eventName: string): string | null {
  const data = dataOf(dataText)
  return data && subjectOf(data, eventName)
}
