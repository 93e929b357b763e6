import { useDebouncedValue } from '@mantine/hooks'
import { safe } from '@orpc/client'
import { keepPreviousData, skipToken, useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { subjectOf } from '#shared/model/subject.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import type { TriggerFigures } from '#shared/model/workflow-figures.ts'
import { namesOf, takes } from '#shared/workflows/takes.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import {
  useConnectionFigures,
  useConnectionStatistics,
} from '../../../entities/connection/use-connections.ts'
import { eventKinds, readOccurrences } from '../../../entities/occurrence/use-occurrences.ts'
import { useWorkspace } from '../../../entities/workspace/current-workspace.tsx'
import { problemOf } from '../../../ui/problem.ts'
import { dataOf, mergePayloads, type Payload, type SampleEvent } from './sample.ts'

const maxEvents = 20
/** The number of the newest events that are checked for a filter that is not a name. */
const maxChecked = 200
const typingPauseMs = 200
const receivedKey = 'received events'

/** An event name with its events of the last 24 hours. */
export type NamedCount = { readonly eventName: string; readonly count: number; readonly declared: boolean }

export type TriggerEvents = {
  /** The events to try the workflow with: the newest received ones first, then the declared samples. */
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
  const { connectionId } = trigger
  const names = namesOf(trigger)
  const { workspace } = useWorkspace()
  // The service is not asked for each letter of a name that is typed.
  const [asked] = useDebouncedValue(names?.join('\n') ?? null, typingPauseMs)
  const ofConnection = useConnectionStatistics(connectionId ?? '')
  const ofAll = useConnectionFigures()
  const figures = useQuery(
    api.workflows.trigger.queryOptions({
      input: {
        workspaceId: workspace?.workspaceId,
        connectionId: connectionId ?? undefined,
        // The events of several names are counted here.
        eventName: names?.length === 1 ? (asked ?? undefined) : undefined,
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
  const newest =
    connectionId === null
      ? ofAll?.accepted
      : ofConnection && `${ofConnection.accepted} ${ofConnection.lastEvent?.eventId}`
  useEffect(() => {
    if (newest === undefined) return
    void queries.invalidateQueries({ queryKey: [receivedKey] })
    void queries.invalidateQueries({ queryKey: api.workflows.trigger.key() })
  }, [newest])

  const received = useQuery({
    queryKey: [receivedKey, ids, asked],
    queryFn: ({ queryKey }) =>
      readReceived(ids, asked?.split('\n') ?? null, queries.getQueryData(queryKey) ?? []),
  })
  const types = useQueries({
    queries: ids.map(id => api.eventTypes.list.queryOptions({ input: { connectionId: id } })),
  })
  const declarations = types.map(({ data }) => data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of results is new at each render, its items are not
  const events = useMemo(() => {
    const first =
      connectionId === null || wanted.data === undefined ? [] : [sampleOf(connectionId, wanted.data)]
    const others = (received.data ?? []).filter(({ id }) => id !== eventId)
    const all = [...first, ...others].filter(event => takes(trigger, event))
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
    return [...all, ...declared]
  }, [trigger, eventId, wanted.data, received.data, ids.join(), ...declarations])
  const payload = useMemo(() => {
    const samples = events.toSorted(
      (one, other) => Number(one.kind !== 'sample') - Number(other.kind !== 'sample'),
    )
    return mergePayloads(samples.map(event => dataOf(event.dataText)).filter(data => data !== null))
  }, [events])

  const { data } = figures
  return {
    events,
    isReading:
      asked !== (names?.join('\n') ?? null) ||
      [figures, received, ...types].some(
        ({ isPending, isPlaceholderData }) => isPending || isPlaceholderData,
      ) ||
      // A disabled query stays pending.
      (connectionId !== null && eventId !== undefined && wanted.isPending),
    names: data?.names ?? [],
    counts: data === undefined || figures.isPlaceholderData ? null : countsOf(data, trigger),
    payload,
  }
}

/** Returns how many events there were, and how many of them the trigger takes. */
function countsOf({ received, taken, names }: TriggerFigures, trigger: WorkflowTrigger) {
  if (trigger.eventNames === undefined) return { received, taken }
  const anywhere = { ...trigger, connectionId: null }
  const named = names.filter(({ eventName }) => takes(anywhere, { connectionId: '', eventName }))
  return { received, taken: named.reduce((sum, { count }) => sum + count, 0) }
}

/**
 * Reads the newest events of these connections that a trigger with this filter takes.
 *
 * @param known those that were read before, which are not read again.
 */
async function readReceived(
  connectionIds: readonly string[],
  names: readonly string[] | null,
  known: readonly SampleEvent[],
): Promise<SampleEvent[]> {
  const [eventName, another] = names ?? []
  const isExact = eventName !== undefined && another === undefined && !eventName.endsWith('.*')
  const filter = isExact ? { eventName, limit: maxEvents } : { limit: maxChecked }
  const trigger = { connectionId: null, eventName: null, ...(names !== null && { eventNames: [...names] }) }
  const pages = await Promise.all(
    connectionIds.map(connectionId => readOccurrences({ connectionId, kinds: eventKinds, ...filter })),
  )
  const newest = pages
    .flatMap(({ items }) => items)
    .filter(item => 'eventId' in item)
    .filter(item => takes(trigger, item))
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, maxEvents)
  const events = newest.map(async ({ connectionId, eventId }) => {
    const before = known.find(({ id }) => id === eventId)
    if (before !== undefined) return before
    const { data, error } = await safe(client.events.get({ connectionId, eventId }))
    // It may have been deleted since.
    if (error !== null && problemOf(error).code === 'service_unreachable') throw error
    return data === undefined ? null : sampleOf(connectionId, data)
  })
  return (await Promise.all(events)).filter(event => event !== null)
}

function sampleOf(connectionId: string, event: StoredEvent): SampleEvent {
  const { eventId: id, eventName, receivedAt, dataText, inMemory } = event
  const kind = inMemory === true ? 'memory' : 'stored'
  return { id, kind, connectionId, eventName, subject: subjectIn(dataText, eventName), receivedAt, dataText }
}

function subjectIn(dataText: string, eventName: string): string | null {
  const data = dataOf(dataText)
  return data && subjectOf(data, eventName)
}
