import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Searched } from '#shared/model/searched.ts'
import { EmptyState } from './empty-state.tsx'
import { ListLine } from './followed-list.tsx'
import { formatMinute, formatNumber } from './format.ts'
import { Keys } from './keys.tsx'
import { useShortcut } from './shortcuts.tsx'

/** A search that has not looked at everything. */
export type OpenSearch = {
  /** How far it has looked; `count` over all pages that were read. */
  readonly searched: Searched
  readonly isSearching: boolean
  /** Looks further back until it finds something. */
  readonly searchOlder: () => void
  readonly stop: () => void
}

const indexing = 'The search index is still being built, so that a search takes longer.'
const keys = 's'

function useSearchKey(group: string, { isSearching, searchOlder, stop }: OpenSearch) {
  const act = isSearching ? stop : searchOlder
  useShortcut({ keys, label: 'Search older, or stop', group }, act)
  return act
}

/** Takes the place of the rows as long as a search has found none. */
export function NothingFoundYet(props: {
  readonly search: OpenSearch
  /** The items that are searched: “runs”. */
  readonly noun: string
  /** The heading of the shortcuts. */
  readonly group: string
  readonly actions?: ReactNode
}) {
  const { search, noun, group, actions } = props
  const { searched, isSearching } = search
  const act = useSearchKey(group, search)
  return (
    <EmptyState
      title={`Nothing in the newest ${formatNumber(searched.count)} ${noun}`}
      actions={
        <>
          <Button variant="filled" onClick={act} rightSection={<Keys keys={keys} />}>
            {isSearching ? 'Stop' : 'Search older'}
          </Button>
          {actions}
        </>
      }
    >
      <span role="status">
        {isSearching
          ? `Searching older ${noun}… now at ${formatMinute(searched.backTo)}.`
          : `Older ${noun}, from before ${formatMinute(searched.backTo)}, have not been searched yet.`}
      </span>
      {searched.indexing === true && ` ${indexing}`}
    </EmptyState>
  )
}

/** The line below rows that a search has found so far. */
export function SearchedLine(props: {
  readonly search: OpenSearch
  readonly noun: string
  readonly group: string
}) {
  const { search, noun, group } = props
  const { searched, isSearching } = search
  const act = useSearchKey(group, search)
  return (
    <ListLine action={isSearching ? 'Stop' : 'Search older'} onAction={act}>
      <span role="status">
        {isSearching ? `Searching older ${noun}… now at` : 'Searched back to'} {formatMinute(searched.backTo)}
        .
      </span>
      {searched.indexing === true && ` ${indexing}`}
    </ListLine>
  )
}
