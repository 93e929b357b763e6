import { Button } from '@mantine/core'
import { memo, type RefObject } from 'react'
import { useConnectionChoice } from '../../entities/connection/use-connections.ts'
import { FilterMenus } from '../../ui/filter-menus.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './activity.module.css'
import type { useActivityView } from './activity-view.tsx'
import { ActivitySearch } from './feed-bar.tsx'
import { FilterChips } from './filter-chips.tsx'
import { activityFilters } from './filters.ts'
import { useActivityPlace } from './use-activity-place.ts'

/** No name has it. */
const between = '\0'
const splitNames = (names: string) => names.split(between).filter(name => name !== '')
const optionsFor = (names: readonly (string | undefined)[]) =>
  [...new Set(names)]
    .filter(name => name !== undefined)
    .sort()
    .map(value => ({ value, label: value }))

/** The filters of the activity of all connections. */
export function PageFilters({ view }: { readonly view: ReturnType<typeof useActivityView> }) {
  const { causes, items } = view.feed
  const names = new Set(items.map(item => ('eventName' in item ? item.eventName : '')))
  return (
    <Filters
      list={view.state.list}
      causes={causes.join(between)}
      eventNames={[...names].sort().join(between)}
    />
  )
}

/** Rendered only when there is something else to choose: the list below changes much more often. */
const Filters = memo(function Filters(props: {
  readonly list: RefObject<{ focus(): void } | null>
  readonly causes: string
  readonly eventNames: string
}) {
  const { list, causes, eventNames } = props
  const place = useActivityPlace()
  const connections = useConnectionChoice(place.connection)
  const isSet = place.isNarrowed || place.show !== undefined
  return (
    <section className={classes.pageFilters} aria-label="Filters">
      <ActivitySearch list={list} className={classes.search} />
      <FilterChips list={list} />
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
          cause: optionsFor([place.cause, ...splitNames(causes)]),
          eventName: optionsFor([place.eventName, ...splitNames(eventNames)]),
        }}
      />
      {isSet && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => {
            place.clear()
            // This button disappears.
            list.current?.focus()
          }}
        >
          Clear
        </Button>
      )}
    </section>
  )
})
