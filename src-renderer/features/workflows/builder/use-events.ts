import { useDebouncedValue } from '@mantine/hooks'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { subjectOf } from '#shared/model/subject.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { takes } from '#shared/workflows/takes.ts'
import { api } from '../../../client/client.ts'
import { dataOf, mergePayloads, type Payload, type SampleEvent } from './sample.ts'

/** Connections whose events are read for a trigger that takes events of any connection. */
const maxConnections = 20
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

/** Returns what is known of the events that a trigger takes. @param all ids of the workspace's connections. */
export function useTriggerEvents(trigger: WorkflowTrigger, all: readonly string[]): TriggerEvents {
  const { connectionId, eventName } = trigger
  const ids = connectionId === null ? all.slice(0, maxConnections) : all.filter(id => id === connectionId)
  // The service is not asked for each letter of a name that is typed.
  const [asked] = useDebouncedValue(eventName, typingPauseMs)
  const isExact = asked !== null && !asked.endsWith('.*')
  const queries = useQueryClient()
  const statistics = useQuery(api.statistics.list.queryOptions({ input: {} })).data
  const newest = statistics?.connections
    .filter(one => ids.includes(one.connectionId))
    .map(one => `${one.accepted} ${one.lastEvent?.eventId}`)
    .join()
  useEffect(() => {
    if (newest === undefined) return
    void queries.invalidateQueries({ queryKey: api.events.list.key() })
    void queries.invalidateQueries({ queryKey: api.statistics.eventNames.key() })
  }, [queries, newest])

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
  const counted = useQueries({
    queries: ids.map(id => api.statistics.eventNames.queryOptions({ input: { connectionId: id } })),
  })
  const read = [...stored, ...types].map(({ data }) => data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of results is new at each render, its items are not
  const events = useMemo(() => {
    const received = ids.flatMap((id, index) =>
      (stored[index]?.data?.events ?? [])
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
    return [...newestFirst.slice(0, maxEvents), ...declared]
  }, [trigger, ids.join(), ...read])
  const payload = useMemo(() => {
    const samples = events.toSorted(
      (one, other) => Number(one.kind === 'stored') - Number(other.kind === 'stored'),
    )
    return mergePayloads(samples.map(event => dataOf(event.dataText)).filter(data => data !== null))
  }, [events])

  const names = counted.flatMap(({ data }, index) =>
    (data ?? []).map(entry => ({ ...entry, connectionId: ids[index] ?? '' })),
  )
  const sum = (entries: typeof names) => entries.reduce((total, { count }) => total + count, 0)
  return {
    events,
    isReading: [...stored, ...types].some(({ isPending }) => isPending),
    names: mergeNames(names),
    counts: counted.some(({ data }) => data === undefined)
      ? null
      : { received: sum(names), taken: sum(names.filter(entry => takes(trigger, entry))) },
    payload,
  }
}

/** Adds up the counts of names that several connections have. */
function mergeNames(entries: readonly NamedCount[]): NamedCount[] {
  const names = new Map<string, NamedCount>()
  for (const { eventName, count, declared } of entries) {
    const before = names.get(eventName)
    names.set(eventName, {
      eventName,
      count: count + (before?.count ?? 0),
      declared: declared || before?.declared === true,
    })
  }
  return [...names.values()]
}

function subjectIn(dataText: string, eventName: string): string | null {
  const data = dataOf(dataText)
  return data && subjectOf(data, eventName)
}
