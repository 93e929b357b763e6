import { ActionIcon, Menu, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ListFilter, X } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { api } from '../../client/client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { ChoiceItems } from '../../ui/choice-items.tsx'
import { FilterMenus } from '../../ui/filter-menus.tsx'
import lists from '../../ui/followed-list.module.css'
import { FollowButton, type useFollowedList } from '../../ui/followed-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './activity.module.css'
import { FilterChips } from './filter-chips.tsx'
import { activityFilters } from './filters.ts'
import type { ShownCounts } from './kinds.ts'
import { useActivityPlace } from './use-activity-place.ts'

const channels = optionsOf({ all: 'All', ...activityFilters.show.labels })

/** The filters of the feed, and the switch that pauses it. */
export function FeedBar(props: {
  /** Null until they are loaded. */
  readonly counts: (ShownCounts & { readonly isWhole: boolean }) | null
  readonly state: ReturnType<typeof useFollowedList>
}) {
  const { counts, state } = props
  const { list } = state
  const place = useActivityPlace()
  const atLeast = counts?.isWhole === false ? 'At least ' : ''
  return (
    <div className={lists.filters}>
      <div className="row">
        <SegmentedControl
          aria-label="Channel"
          value={place.show ?? 'all'}
          onChange={value => place.set({ show: value === 'all' ? undefined : value })}
          data={channels.map(({ value, label }) => ({
            value,
            label: (
              <span
                className={classes.segment}
                title={counts === null ? undefined : `${atLeast}${formatNumber(counts[value])} kept`}
              >
                {label}
                {counts !== null && (
                  <span className={value === 'rejected' && counts.rejected > 0 ? classes.count : 'sr'}>
                    {value === 'rejected' && counts.rejected > 0 ? '' : atLeast}
                    {formatNumber(counts[value])}
                  </span>
                )}
              </span>
            ),
          }))}
        />
        <FollowButton state={state} isSmall />
      </div>
      <div className="row">
        <ActivitySearch list={list} />
        <EventNameFilter />
        <FilterMenus filters={{ outcome: activityFilters.outcome }} place={place} change={place.set} />
      </div>
      <div className={classes.chips}>
        <FilterChips list={list} />
      </div>
      {place.eventName !== undefined && (
        <div className="row sm">
          <span className="t3">Only</span>
          <code className="cut w5">{place.eventName}</code>
          <IconButton
            size="xs"
            icon={X}
            label="Show events of all names"
            onClick={() => {
              place.set({ eventName: undefined })
              list.current?.focus()
            }}
          />
        </div>
      )}
    </div>
  )
}

/** The field for the text of the activity. */
export function ActivitySearch(props: {
  readonly list: RefObject<{ focus(): void } | null>
  readonly className?: string | undefined
}) {
  const { list, className = 'grow' } = props
  const place = useActivityPlace()
  const input = useRef<HTMLInputElement>(null)
  function focus(): void {
    input.current?.focus()
    input.current?.select()
  }
  const arrived = useEffectEvent(() => {
    focus()
    place.found()
  })
  useEffect(() => {
    if (place.find) arrived()
  }, [place.find])
  const does = 'Search the activity'
  useShortcut({ keys: 'mod+shift+f', label: does, group: 'Activity' }, focus)
  return (
    <SearchField
      ref={input}
      className={className}
      value={place.text}
      onChange={text => place.set({ text })}
      label="Search activity"
      placeholder="Event name, order number, status"
      does={does}
      group="Activity"
      list={list}
    />
  )
}

function EventNameFilter() {
  const { connectionId } = useCurrentConnection()
  const place = useActivityPlace()
  const { data, refetch } = useQuery(
    api.statistics.eventNames.queryOptions({ input: { connectionId }, enabled: false }),
  )
  const { eventName } = place
  const counted = data?.map(one => one.eventName) ?? []
  const names = new Set(eventName === undefined ? counted : [eventName, ...counted])
  const label = eventName === undefined ? 'Filter by event name' : `Filtered by event name: ${eventName}`
  const countOf = (name: string) => data?.find(one => one.eventName === name)?.count ?? 0
  return (
    <Menu position="bottom-end" onOpen={() => void refetch()}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          title="Filter by event name"
          aria-label={label}
          color={eventName === undefined ? undefined : 'cobalt'}
        >
          <ListFilter className={eventName === undefined ? undefined : 'acc'} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <ChoiceItems
          value={eventName ?? ''}
          onChoose={name => place.set({ eventName: name === '' ? undefined : name })}
          options={[
            { value: '', label: 'Events of all names' },
            ...[...names].map(name => ({
              value: name,
              label: <code>{name}</code>,
              end: <span className="xs t3 num">{formatNumber(countOf(name))} in 24 h</span>,
            })),
          ]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}
