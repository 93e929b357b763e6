import { isSeen } from '#shared/model/nodes.ts'
import { clockLabel, isFarOff, nameOf } from '../../entities/node/node-labels.ts'
import { Unknown } from '../../ui/badges.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatExact, formatMs } from '../../ui/format.ts'
import { formatRate, type NodeRow } from './node-rows.tsx'
import classes from './nodes-section.module.css'

/** One node: what its state means, and what the table leaves out. */
export function NodeFacts({ row, newest }: { readonly row: NodeRow; readonly newest: number }) {
  const { nodeId, startedAt, seenAt, configVersion, clockOffsetMs, databaseMs, eventsPerSecond } = row
  const version = `Version ${configVersion}`
  return (
    <section className={classes.facts} aria-label={`Node ${nameOf(row)}`}>
      <h3 className="h3">{nameOf(row)}</h3>
      <p className="t2">
        {row.health.means}
        {isFarOff(clockOffsetMs) &&
          ' Its clock is wrong, so it uses the database’s. Only the times in its log are wrong.'}
      </p>
      <dl className="facts sm">
        <Fact name="Started">{startedAt === null ? <Unknown /> : formatExact(startedAt)}</Fact>
        <Fact name="Last heartbeat">{formatExact(seenAt)}</Fact>
        <Fact name="Version">{row.version ?? <Unknown />}</Fact>
        <Fact name="Configuration">
          {isSeen(row) && configVersion < newest ? (
            <span className="warn">{`${version}, the newest is ${newest}`}</span>
          ) : (
            `${version}${configVersion < newest ? '' : ', the newest'}`
          )}
        </Fact>
        {isSeen(row) && (
          <>
            <Fact name="Clock">{clockOffsetMs === null ? <Unknown /> : clockLabel(clockOffsetMs)}</Fact>
            <Fact name="Database answered in">
              {databaseMs === null ? <Unknown /> : formatMs(databaseMs)}
            </Fact>
            <Fact name="Events a second">
              {eventsPerSecond === null ? <Unknown /> : formatRate(eventsPerSecond)}
            </Fact>
          </>
        )}
        <Fact name="Node ID">
          <code>{nodeId}</code>
        </Fact>
      </dl>
    </section>
  )
}
