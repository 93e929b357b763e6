import { Button, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ChevronDown, Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TestRecord } from '#shared/model/call.ts'
import { statusReason } from '../../../entities/action/status-reason.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { StatusCode } from '../../../ui/badges.tsx'
import { formatBytes, formatClock, formatMs } from '../../../ui/format.ts'
import { TimingBar } from '../../../ui/timing-bar.tsx'
import type { ShownTest } from './shown-test.ts'
import classes from './test.module.css'

/** Shows the result, the time and the timing of a test, with a link to the activity and a menu of the other tests. */
export function TestSummary(props: Parameters<typeof OtherTests>[0] & { readonly children?: ReactNode }) {
  const { response, error, timings } = props.test.result
  return (
    <div className={classes.summary}>
      <div className={classes.facts}>
        <span>
          <StatusCode
            status={response?.status ?? null}
            text={response === null ? error?.code : statusReason(response.status)}
          />
        </span>
        {timings.totalMs > 0 && <span className="w5 num">{formatMs(timings.totalMs)}</span>}
        {response !== null && <span className="t3 num">{formatBytes(response.bytes)}</span>}
        <OtherTests {...props} />
      </div>
      {timings.totalMs > 0 && <TimingBar timings={timings} />}
      {props.children}
    </div>
  )
}

function OtherTests(props: {
  readonly test: ShownTest
  readonly tests: readonly TestRecord[]
  readonly onShowTest: (callId: string | null) => void
}) {
  const { test, tests, onShowTest } = props
  const { connectionId } = useCurrentConnection()
  const clock = formatClock(test.at, Date.now())
  const others = tests.filter(({ callId }) => callId !== test.callId)
  const isNewest = others.every(({ at }) => at <= test.at)
  return (
    <span className="row push">
      <Link
        className="link sm num"
        to="/connections/$connectionId/activity"
        params={{ connectionId }}
        search={{ item: test.callId }}
        title="Show the call in activity"
        aria-label={`${clock}, show the call in activity`}
      >
        <time dateTime={test.at}>{clock}</time>
      </Link>
      {others.length > 0 && (
        <Menu position="bottom-end" width={280}>
          <Menu.Target>
            <Button
              size="xs"
              variant="subtle"
              leftSection={<Clock />}
              rightSection={<ChevronDown size={12} />}
            >
              {others.length} {isNewest ? 'earlier' : 'more'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
            {others.map(({ callId, at, result }) => (
              <Menu.Item key={callId} onClick={() => onShowTest(callId)}>
                <span className="row">
                  <StatusCode
                    status={result.response?.status ?? null}
                    text={result.response === null ? result.error?.code : null}
                  />
                  {result.timings.totalMs > 0 && (
                    <span className="num nowrap">{formatMs(result.timings.totalMs)}</span>
                  )}
                  <time className="push t3 num" dateTime={at}>
                    {formatClock(at, Date.now())}
                  </time>
                </span>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </span>
  )
}
