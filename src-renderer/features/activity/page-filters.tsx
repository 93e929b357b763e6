import { Button } from '@mantine/core'
import { X } from 'lucide-react'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { FilterMenus } from '../../ui/filter-menus.tsx'
import { formatPeriod } from '../../ui/format.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './activity.module.css'
import type { useActivityView } from './activity-view.tsx'
import { ActivitySearch } from './feed-bar.tsx'
import { activityFilters } from './filters.ts'

/** The filters of the activity of all connections. */
export function PageFilters({ view }: { readonly view: ReturnType<typeof useActivityView> }) {
  const { place, feed, state } = view
  const { causes, items } = feed
  const connections = useConnectionChoice(place.connection)
  const names = new Set([place.eventName, ...items.map(item => ('eventName' in item ? item.eventName : ''))])
  const eventNames = [...names].filter(name => name !== undefined && name !== '').sort()
  const isSet = place.isNarrowed || place.show !== undefined
  return (
    <section className={classes.pageFilters} aria-label="Filters">
      <ActivitySearch list={state.list} className={classes.search} />
      {(place.since !== undefined || place.until !== undefined) && (
        <Button
          size="xs"
          variant="light"
          rightSection={<X size={12} />}
          title="Show any time"
          onClick={() => {
            place.set({ since: undefined, until: undefined })
            state.list.current?.focus()
          }}
        >
          <span className="sr">Period: </span>
          {periodWords(place)}
        </Button>
      )}
      <SearchSelect
        size="xs"
        w={160}
        aria-label="Connection"
        placeholder="Any connection"
        clearable
        clearButtonProps={{ 'aria-label': 'Any connection' }}
        value={place.connection ?? null}
        data={connections.rows.map(({ connectionId, name }) => ({ value: connectionId, label: name }))}
        onTyped={connections.onTyped}
        onChange={value => place.set({ connection: value ?? undefined })}
      />
      <FilterMenus
        filters={activityFilters}
        place={place}
        change={place.set}
        options={{
          cause: [...new Set([...(place.cause === undefined ? [] : [place.cause]), ...causes])]
            .sort()
            .map(value => ({ value, label: value })),
          eventName: eventNames.map(value => ({ value: value ?? '', label: value ?? '' })),
        }}
      />
      {isSet && (
        <Button variant="subtle" size="xs" onClick={place.clear}>
          Clear
        </Button>
      )}
    </section>
  )
}

/** Returns a period in words: “21 Nov, 06:00 – 14:32”, “Since 21 Nov, 06:00”. */
function periodWords({ since, until }: { readonly since?: string; readonly until?: string }): string {
  if (since === undefined) return `Before ${formatPeriod(Date.parse(until ?? ''))}`
  const from = Date.parse(since)
  return until === undefined ? `Since ${formatPeriod(from)}` : formatPeriod(from, Date.parse(until))
}
