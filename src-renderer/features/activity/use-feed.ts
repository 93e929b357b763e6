import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useOccurrences } from '../../entities/occurrence/use-occurrences.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { chosenIn } from '../../ui/filters.ts'
import { useFollow } from '../../ui/use-follow.ts'
import { activityFilters } from './filters.ts'
import { countsOf, kindsOf } from './kinds.ts'
import type { useActivityPlace } from './use-activity-place.ts'

/** Milliseconds after typing until the service searches. */
const searchDelayMs = 250
const longestText = 200

/** Returns the activity as the filters select it. While it is held, newer items are only counted. */
export function useFeed(place: ReturnType<typeof useActivityPlace>) {
  const { workspace } = useWorkspace()
  const follow = useFollow()
  const { isHeldBack } = follow
  const wanted = place.text.slice(0, longestText)
  const [searched] = useDebouncedValue(wanted, searchDelayMs)
  const { show, connection, ...filters } = chosenIn(activityFilters, { ...place, text: searched })
  const scope =
    connection === undefined ? { workspaceId: workspace?.workspaceId } : { connectionId: connection }
  const filter = { ...scope, ...filters }
  const selected = { ...filter, kinds: kindsOf(show) }
  const list = useOccurrences(selected, isHeldBack)
  const counts = useQuery(
    api.activity.counts.queryOptions({
      input: filter,
      enabled: ({ state }) => !isHeldBack || state.data === undefined,
    }),
  )
  const newer = useQuery(
    api.activity.counts.queryOptions({
      input: { ...selected, after: list.items[0]?.id },
      enabled: isHeldBack && list.isKnown,
    }),
  )
  return {
    ...list,
    selected,
    isKnown: list.isKnown && searched === wanted,
    /** Null until they are known. */
    counts: counts.data === undefined ? null : { ...countsOf(counts.data), isWhole: counts.data.complete },
    /** The causes of what failed among what the filters select. */
    causes: Object.keys(counts.data?.byCause ?? {}),
    newer: isHeldBack ? (newer.data?.total ?? 0) : 0,
    follow: {
      ...follow,
      follow() {
        follow.follow()
        list.refetch()
      },
    },
  }
}
