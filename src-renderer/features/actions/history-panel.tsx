import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import type { TestRecord } from '#shared/model/call.ts'
import { keptItems } from '#shared/model/kept.ts'
import { exactArguments } from '../../client/exact-arguments.ts'
import { statusReason } from '../../entities/action/status-reason.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { formatBytes, formatExact, formatMs } from '../../ui/format.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import classes from './actions.module.css'
import { useTests } from './test/use-test-call.ts'
import { useActionPlace } from './use-action-place.ts'

const keyOf = ({ callId }: TestRecord) => callId

/** Lists the last tests of an action. Opening one shows it in Test. */
export function HistoryPanel(props: { readonly action: Action; readonly onOpen: (callId: string) => void }) {
  const { action, onOpen } = props
  const place = useActionPlace()
  const { tests, error, isReading } = useTests(action.actionId)
  const [chosen, setChosen] = useState<string | null>(null)
  if (error !== null) return <ErrorState title="The tests could not be read" error={error} />
  if (isReading) return null
  if (tests.length === 0)
    return (
      <EmptyState
        title="No tests yet"
        actions={<Button onClick={() => place.setPanel('test')}>Go to Test</Button>}
      >
        The last 50 tests appear here, for at most {keptItems.days} days.
      </EmptyState>
    )
  return (
    <div className="fill">
      <VirtualList
        label={`Tests of ${action.name}`}
        items={tests}
        rowHeight={42}
        getKey={keyOf}
        selectedKey={chosen}
        onSelect={({ callId }) => setChosen(callId)}
        onActivate={({ callId }) => onOpen(callId)}
        renderRow={test => <Row test={test} onOpen={() => onOpen(test.callId)} />}
      />
    </div>
  )
}

function Row({ test, onOpen }: { readonly test: TestRecord; readonly onOpen: () => void }) {
  const { at, result } = test
  const { response, error, timings } = result
  return (
    // The list handles the keyboard: Enter opens a row like a click.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div className={classes.historyRow} onClick={onOpen}>
      <span>
        <StatusCode
          status={response?.status ?? null}
          text={response === null ? error?.code : statusReason(response.status)}
        />
      </span>
      <span className="num t2">{timings.totalMs > 0 ? formatMs(timings.totalMs) : ''}</span>
      <span className="num t3">{response === null ? '' : formatBytes(response.bytes)}</span>
      <code className="cut t2">{JSON.stringify(exactArguments(test)).slice(0, 300)}</code>
      <time className="num t3 nowrap" dateTime={at}>
        {formatExact(at)}
      </time>
    </div>
  )
}
