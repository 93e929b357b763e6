import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Plus } from 'lucide-react'
import { useTrouble } from '../../client/use-health.ts'
import { forgetOtherPages, useConnectionPages } from '../../entities/connection/use-connections.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { useSwitchConnection } from '../../entities/connection/use-update-connection.ts'
import { useOverlays } from '../../overlays.tsx'
import { ErrorState } from '../../ui/empty-state.tsx'
import { FilteredList, useFilteredList } from '../../ui/filtered-list.tsx'
import { chosenIn } from '../../ui/filters.ts'
import { formatCount, formatNumber, formatTime } from '../../ui/format.ts'
import { DirectionLegend } from '../../ui/hour-bars.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { sortsOf } from '../../ui/list-search.ts'
import { Body, type Hints, Top } from '../../ui/page.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { connectionColumns } from './connection-columns.tsx'
import classes from './connection-table.module.css'
import { connectionList, countsOf, type ShownState, statesOf } from './select-connections.ts'

const FirstRun = lazyComponent(() => import('./first-run.tsx'))
const { group } = connectionList
const [usualSort] = sortsOf(connectionList.orders)

/** The connections of the workspace and their status, or the first steps if there is none. */
export function ConnectionList() {
  const [place] = useSearchState('/connections')
  const { filter: text, status, ...others } = chosenIn(connectionList.filters, place)
  const pages = useConnectionPages({
    ...others,
    ...{ text, state: statesOf(status), sort: place.sort ?? usualSort },
  })
  const { rows, figures, error, isPending, refetch } = pages
  const { open } = useOverlays()
  const newConnection = () => open({ kind: 'new-connection' })
  useShortcut({ keys: 'n', label: 'New connection', group }, newConnection)
  const failed = error !== null && rows.length === 0
  const isEmpty = !isPending && !failed && rows.length === 0 && figures?.total === 0
  return (
    <>
      <Top
        crumbs={[
          <Link key="settings" to="/settings/$section" params={{ section: 'listener' }}>
            Settings
          </Link>,
          <span key="integrations">Integrations</span>,
        ]}
        title="Custom API"
        actions={
          !isEmpty && (
            <>
              <KeyButton icon={Download} keys="i" onClick={() => open({ kind: 'import', request: {} })}>
                Import
              </KeyButton>
              <KeyButton variant="filled" icon={Plus} keys="n" onClick={newConnection}>
                New connection
              </KeyButton>
            </>
          )
        }
      />
      {isEmpty ? (
        <FirstRun />
      ) : failed ? (
        <Body>
          <ErrorState title="The connections cannot be shown" error={error} onRetry={() => void refetch()} />
        </Body>
      ) : (
        <Listed pages={pages} />
      )}
    </>
  )
}

function Listed({ pages }: { readonly pages: ReturnType<typeof useConnectionPages> }) {
  const { rows, figures, isPending, readAt, loadMore } = pages
  const [place, change] = useSearchState('/connections')
  const navigate = useNavigate()
  const switchConnection = useSwitchConnection()
  const list = useFilteredList(connectionList, {
    all: rows,
    isPending,
    remote: {
      counts: figures && { all: figures.total, matching: figures.found, states: countsOf(figures.states) },
      pages: pages.pages,
      isOther: pages.isOther,
      onEndReached: loadMore,
      readAgain: pages.refetch,
      forgetOthers: forgetOtherPages,
    },
    place,
    change,
    open: ({ connectionId }) => void navigate({ to: '/connections/$connectionId', params: { connectionId } }),
  })
  const { selected } = list
  const one = selected !== undefined
  const toggle = () => selected && switchConnection(selected.connectionId, !selected.enabled)
  const copyUrl = () => selected && copyInboundUrl(selected.connectionId)
  useShortcut({ keys: 'e', label: 'Enable or disable it', group }, toggle, one)
  useShortcut({ keys: 'mod+shift+c', label: 'Copy its inbound URL', group }, copyUrl, one)
  const failing = list.search.rows.map(({ status: { tone } }) => tone === 'bad' || tone === 'warn')
  const nextFailing = [...failing.keys()]
    .map(step => (list.at + 1 + step) % failing.length)
    .find(at => failing[at])
  useShortcut(
    { keys: 'f8', label: 'Next that fails or needs attention', group },
    () => nextFailing !== undefined && list.goTo(nextFailing),
    nextFailing !== undefined,
  )
  const isStale = useTrouble() !== null
  const { filter = '', status, sort } = place
  return (
    <div className={classes.list} data-stale={isStale || undefined}>
      <FilteredList
        state={list}
        title={figures && titleOf(countsOf(figures.states))}
        about={
          isStale
            ? `As of ${formatTime(readAt)}: newer figures cannot be read at present.`
            : `Events in and calls out of the last 24 hours${sort === 'worst' ? ', the worst first' : ''}.`
        }
        legend={<DirectionLegend />}
        columns={connectionColumns}
        none={{
          title: noneTitle(filter, status),
          detail:
            filter === ''
              ? 'Connections appear here as requests arrive.'
              : 'The filter searches names, base URLs and the name of the last event.',
        }}
        hints={hints}
        figures={
          figures &&
          ` · ${formatCount(figures.accepted, 'event')}${figures.calls > 0 ? ` and ${formatCount(figures.calls, 'call')}` : ''} in 24 hours`
        }
      />
    </div>
  )
}

/** Says how many connections ask for something; undefined for none. */
function titleOf({ failing, attention }: ReturnType<typeof countsOf>): string | undefined {
  const parts = [
    ...(failing > 0 ? [`${formatCount(failing, 'connection')} ${failing === 1 ? 'fails' : 'fail'}`] : []),
    ...(attention > 0
      ? [
          `${failing > 0 ? formatNumber(attention) : formatCount(attention, 'connection')} ${attention === 1 ? 'needs' : 'need'} attention`,
        ]
      : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

const hints: Hints = {
  updown: 'select',
  enter: 'open',
  f8: 'next that fails',
  e: 'enable or disable',
  'mod+shift+c': 'copy inbound URL',
}

function noneTitle(filter: string, status: ShownState | undefined): string {
  if (filter !== '') return `No connection matches “${filter}”`
  if (status === 'failing') return 'No connection fails'
  if (status === 'attention') return 'No connection needs attention'
  if (status === 'disabled') return 'No connection is disabled'
  return 'Every connection has had an event'
}
