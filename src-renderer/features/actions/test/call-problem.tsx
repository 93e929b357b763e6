import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import type { TestRecord } from '#shared/model/call.ts'
import { StatusCode } from '../../../ui/badges.tsx'
import { formatMs } from '../../../ui/format.ts'
import { RequestView } from '../../../ui/http-message.tsx'
import { TimingBar } from '../../../ui/timing-bar.tsx'
import { useCurrentConnection } from '../../connections/current-connection.tsx'
import { callProblem, missingVariables, type WayOut } from './call-problems.ts'
import { OtherTests } from './other-tests.tsx'
import type { ShownTest } from './shown-test.ts'
import classes from './test.module.css'

/** A call without an answer: what failed, why, and the way out. */
export function CallProblem(props: {
  readonly test: ShownTest
  readonly tests: readonly TestRecord[]
  readonly onShowTest: (testId: string | null) => void
  readonly onSetVariable: (name: string) => void
  readonly onAgain: () => void
  readonly onDefinition: () => void
}) {
  const { test, tests, onShowTest, onSetVariable, onAgain, onDefinition } = props
  const { connectionId } = useCurrentConnection()
  const { error, request, timings } = test.result
  if (error === null) return null
  const { title, remedy, ways } = callProblem(error)

  function wayOut(way: WayOut) {
    switch (way) {
      case 'again':
        return (
          <Button key={way} onClick={onAgain}>
            Send again
          </Button>
        )
      case 'variables':
        return missingVariables(error ?? {}).map(name => (
          <Button key={name} onClick={() => onSetVariable(name)}>
            Set {name}
          </Button>
        ))
      case 'definition':
        return (
          <Button key={way} onClick={onDefinition}>
            Open the definition
          </Button>
        )
      case 'base-url':
      case 'timeout':
        return (
          <Button
            key={way}
            variant="subtle"
            renderRoot={rootProps => (
              <Link to="/connections/$connectionId" params={{ connectionId }} {...rootProps} />
            )}
          >
            {way === 'timeout' ? 'Timeout in Overview' : 'Base URL in Overview'}
          </Button>
        )
      case 'arguments':
        return null
    }
  }

  return (
    <div className={classes.scrolls}>
      <div className={classes.summary}>
        <div className={classes.facts}>
          <span>
            <StatusCode status={null} text={error.code} />
          </span>
          {timings.totalMs > 0 && <span className="w5 num">{formatMs(timings.totalMs)}</span>}
          <OtherTests test={test} tests={tests} onShowTest={onShowTest} />
        </div>
        {timings.totalMs > 0 && <TimingBar timings={timings} />}
      </div>
      <div className={classes.summary} style={{ paddingTop: 0 }} role="alert">
        <h3 className="h3 row">
          <CircleX size={16} className="bad" />
          {title}
        </h3>
        <p className="sm t2">{error.message}</p>
        {remedy !== null && <p className="sm t2">{remedy}</p>}
        <div className="row" style={{ flexWrap: 'wrap', marginTop: 10 }}>
          {ways.map(wayOut)}
        </div>
      </div>
      {request !== null && (
        <div className={classes.summary} style={{ paddingTop: 0 }}>
          <h3 className="h3">Request as sent</h3>
          <RequestView request={request} />
        </div>
      )}
    </div>
  )
}
