import { Skeleton } from '@mantine/core'
import { Body, Top } from '../../ui/page.tsx'
import { connectionCrumbs } from './connection-crumbs.tsx'
import classes from './connection-page.module.css'

const tabs = [58, 58, 52, 50]

/** A connection's page before it is known what is on it. */
export function ConnectionPageSkeleton() {
  return (
    <>
      <Top
        ruled={false}
        crumbs={connectionCrumbs}
        title={
          <>
            <Skeleton height={10} width={140} />
            <span className="sr">Connection</span>
          </>
        }
      />
      <div className={`row ${classes.tabs}`} style={{ gap: 20 }} aria-hidden="true">
        {tabs.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never reordered
          <Skeleton key={index} height={10} width={width} />
        ))}
      </div>
      <Body>
        <div className={classes.loading} role="status" aria-label="Loading the connection">
          <Skeleton height={75} radius="lg" />
          <Skeleton height={10} width={120} mt={26} />
          <Skeleton height={32} mt={28} />
          <Skeleton height={32} mt={34} />
        </div>
      </Body>
    </>
  )
}
