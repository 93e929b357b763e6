import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EventEdge } from '#shared/model/edges.ts'
import { Method, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Keys } from '../../ui/keys.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import classes from './map.module.css'
import { type MapData, mostListed } from './use-map.ts'

/** The events that start nothing, and the actions that nothing calls. */
export function BesideMap(props: {
  readonly map: MapData
  readonly hasBack: boolean
  readonly start: (events: EventEdge) => void
}) {
  const { map, hasBack, start } = props
  const { startNothing } = map.graph
  const nameOf = (connectionId: string) => map.connectionOf?.(connectionId)?.name ?? <Unknown />
  const isKnown = map.query.data !== undefined
  return (
    <>
      {map.hasWorkflows === false && (
        <div className={classes.section}>
          <h2 className="h3">No workflow yet</h2>
          <p className="sm t2">A workflow takes events and calls actions.</p>
          <div className={classes.buttons}>
            <Button size="xs" variant="filled" renderRoot={own => <Link to="/workflows" {...own} />}>
              Choose a starter
            </Button>
            <Button size="xs" renderRoot={own => <Link to="/workflows/new" {...own} />}>
              New workflow
            </Button>
          </div>
        </div>
      )}
      <Head title="Events that start nothing" count={isKnown ? startNothing.length : undefined}>
        {hasBack && <BackButton />}
      </Head>
      <ul className={classes.rows} aria-label="Events that start nothing">
        {startNothing.slice(0, mostListed).map((events, index) => (
          <li key={`${events.connectionId} ${events.eventName}`} data-starts={index}>
            <span className="col">
              <code className="w5 cut">{events.eventName}</code>
              <span className="sm t3 cut">{nameOf(events.connectionId)}</span>
            </span>
            <span className="num sm t2">
              {formatNumber(events.events)}
              <span className="sr"> events</span>
            </span>
            <IconButton
              size="xs"
              icon={Plus}
              label={`Start a workflow from ${events.eventName}`}
              onClick={() => start(events)}
            />
          </li>
        ))}
      </ul>
      <More count={startNothing.length} />
      {isKnown && (
        <p className={classes.hint}>
          {startNothing.length === 0 ? (
            'Every event that came in this time has started a workflow.'
          ) : (
            <>
              They are stored and shown in Activity. <Keys keys="w" /> starts a workflow from the chosen one.
            </>
          )}
        </p>
      )}
      <Head title="Actions that nothing calls" count={map.isLimited ? undefined : map.uncalled?.length} />
      {map.isLimited ? (
        <p className={classes.hint}>Not known: some counts are left out, because there are too many.</p>
      ) : (
        <>
          <ul className={classes.rows} aria-label="Actions that nothing calls">
            {isKnown &&
              map.uncalled?.slice(0, mostListed).map(({ actionId, connectionId, toolName, method }) => (
                <li key={actionId}>
                  <span className="col">
                    <Link
                      className="link cut"
                      to="/connections/$connectionId/actions"
                      params={{ connectionId }}
                      search={{ action: actionId }}
                    >
                      <code>{toolName}</code>
                    </Link>
                    <span className="sm t3 cut">{nameOf(connectionId)}</span>
                  </span>
                  <Method method={method} />
                </li>
              ))}
          </ul>
          <More count={map.uncalled?.length ?? 0} />
          {map.hasMoreTools && <p className={classes.hint}>Of the first 500 actions.</p>}
        </>
      )}
    </>
  )
}

function Head(props: {
  readonly title: string
  readonly count: number | undefined
  readonly children?: ReactNode
}) {
  const { title, count, children } = props
  return (
    <div className={classes.bar}>
      {children}
      <h2 className="h3 cut">{title}</h2>
      <span className="sm t3">{count === undefined ? <Unknown /> : formatNumber(count)}</span>
    </div>
  )
}

function More({ count }: { readonly count: number }) {
  const rest = count - mostListed
  return rest > 0 && <p className={classes.hint}>and {formatNumber(rest)} more</p>
}
