import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type OccurrenceGroup, type OccurrenceType, occurrenceTypes } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { type OccurrenceFilter, useOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { chosenIn } from '../../ui/filters.ts'
import { useFollow } from '../../ui/use-follow.ts'
import { type FeedRow, foldedTypes, groupRows } from './feed-rows.ts'
import { activityFilters } from './filters.ts'
import { countsOf, kindsOf } from './kinds.ts'
import type { useActivityPlace } from './use-activity-place.ts'

/** Milliseconds after typing until the service searches. */
const searchDelayMs = 250
const longestText = 200

/** Returns the filter of the first render as long as it is the same. */
function useSame(filter: OccurrenceFilter): OccurrenceFilter {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text says what is in it
  return useMemo(() => filter, [JSON.stringify(filter)])
}

const none: readonly OccurrenceGroup[] = []

/** Whether nothing is searched for, so that what has failed is one row a cause. */
const isOverview = ({ text, cause, type, outcome, calls, show }: ReturnType<typeof useActivityPlace>) =>
  text === '' && [cause, type, outcome, calls].every(set => set === undefined) && show !== 'rejected'

/** Returns `kinds` without those that are folded. */
function unfolded(kinds: string | undefined): string {
  const types: readonly string[] = kinds?.split(',') ?? occurrenceTypes
  const folded: ReadonlySet<string> = foldedTypes
  return types.filter(type => !folded.has(type)).join()
}

function totalOf(byKind: Readonly<Partial<Record<OccurrenceType, number>>>, kinds: string | undefined) {
  const types = kinds?.split(',')
  const counted = occurrenceTypes.filter(type => types === undefined || types.includes(type))
  return counted.reduce((sum, type) => sum + (byKind[type] ?? 0), 0)
}

/** Returns the activity as the filters select it. While it is held, newer items are only counted. */
export function useFeed(place: ReturnType<typeof useActivityPlace>) {
  const { workspace } = useWorkspace()
  const follow = useFollow()
  const { isHeldBack } = follow
  const wanted = place.text.slice(0, longestText)
  const [searched] = useDebouncedValue(wanted, searchDelayMs)
  const { show, type, connection, calls, ...filters } = chosenIn(activityFilters, {
    ...place,
    text: searched,
  })
  const scope =
    connection === undefined ? { workspaceId: workspace?.workspaceId } : { connectionId: connection }
  const filter = { ...scope, ...filters, made: calls && calls === 'sent' }
  const selected = useSame({ ...filter, kinds: type ?? kindsOf(show) })
  const isFolded = !place.isOfOne && isOverview(place)
  const listed = isFolded ? { ...selected, kinds: unfolded(selected.kinds) } : selected
  const list = useOccurrences(listed, isHeldBack)
  const counts = useQuery(
    api.activity.counts.queryOptions({
      input: filter,
      enabled: ({ state }) => !isHeldBack || state.data === undefined,
    }),
  )
  const newer = useQuery(
    api.activity.counts.queryOptions({
      input: { ...listed, after: list.items[0]?.id },
      enabled: isHeldBack && list.isKnown,
    }),
  )
  const groups = useQuery(
    api.activity.groups.queryOptions({
      input: isFolded ? selected : skipToken,
      enabled: ({ state }) => !isHeldBack || state.data === undefined,
      placeholderData: keepPreviousData,
    }),
  )
  const grouped = isFolded ? (groups.data ?? none) : none
  const rows = useMemo<readonly FeedRow[]>(
    () => [...groupRows(grouped), ...list.items],
    [grouped, list.items],
  )
  return {
    ...list,
    /** The selection that the filters make. */
    selected,
    /** The rows of the list: the groups, then the items. */
    rows,
    /** The failures by cause; none if all of it is among the items. */
    groups: grouped,
    /** Reads the groups again, too. */
    refetch() {
      list.refetch()
      if (isFolded) void groups.refetch()
    },
    isKnown: list.isKnown && searched === wanted,
    /** Null until they are known. */
    counts: counts.data === undefined ? null : { ...countsOf(counts.data), isWhole: counts.data.complete },
    /** How many items the filters select; null until it is known. */
    total: counts.data?.complete === true ? totalOf(counts.data.byKind, selected.kinds) : null,
    /** The causes of what failed among what the filters select. */
    causes: Object.keys(counts.data?.byCause ?? {}),
    newer: isHeldBack ? (newer.data?.total ?? 0) : 0,
    follow: {
      ...follow,
      follow() {
        follow.follow()
        list.refetch()
        if (isFolded) void groups.refetch()
      },
    },
  }
}
