import { Button } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Action } from '#shared/model/action.ts'
import { keptItems } from '#shared/model/kept.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { useOccurrences } from '../../../entities/occurrence/use-occurrences.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { ListLine } from '../../../ui/followed-list.tsx'
import { formatNumber } from '../../../ui/format.ts'
import { problemOf } from '../../../ui/problem.ts'
import { QueryState } from '../../../ui/query-state.tsx'
import { VirtualList, type VirtualListHandle } from '../../../ui/virtual-list.tsx'
import { useTests } from '../test/use-test-call.ts'
import { useActionPlace } from '../use-action-place.ts'
import { CallRow, type HistoryCall } from './call-row.tsx'
import { type ChosenTimes, HistoryHead } from './history-head.tsx'

const keyOf = ({ callId }: HistoryCall) => callId

/** Shows the calls of an action: how long they took, how many succeeded, and each one. Opening one shows it in Test. */
export function HistoryPanel(props: { readonly action: Action; readonly onOpen: (callId: string) => void }) {
  const { action, onOpen } = props
  const { connectionId } = useCurrentConnection()
  const place = useActionPlace()
  const list = useOccurrences({ connectionId, actionId: action.actionId, kinds: 'call.finished' })
  const { items, end, isKnown } = list
  const calls = useMemo(() => items.filter(item => item.type === 'call.finished'), [items])
  const { tests } = useTests(action.actionId)
  const known = useMemo(() => new Map(tests.map(test => [test.callId, test])), [tests])
  const [chosen, setChosen] = useState<string | null>(null)
  const [times, setTimes] = useState<ChosenTimes | null>(null)
  const rows = useRef<VirtualListHandle>(null)
  const shown =
    times === null
      ? calls
      : calls.filter(({ totalMs }) => totalMs > 0 && totalMs >= times.from && totalMs < times.to)
  // The list keeps its place, where the rows of a new range would not begin.
  useEffect(() => {
    if (times !== null) rows.current?.scrollToTop()
  }, [times])
  function showAll(): void {
    flushSync(() => setTimes(null))
    // The button disappears.
    rows.current?.focus()
  }
  if (!isKnown) return <QueryState query={list} failed="The calls could not be read" />
  if (calls.length === 0)
    return (
      <EmptyState
        title="No calls yet"
        actions={<Button onClick={() => place.setPanel('test')}>Go to Test</Button>}
      >
        Calls of this action by tests, workflows and assistants appear here, for at most {keptItems.days}{' '}
        days.
      </EmptyState>
    )
  return (
    <div className="col fill">
      <HistoryHead
        calls={calls}
        isWhole={end !== null}
        times={times}
        onTimes={setTimes}
        onShowAll={showAll}
        shown={shown.length}
      />
      <div className="fill">
        {shown.length === 0 ? (
          <EmptyState title="No call took this long" actions={<Button onClick={showAll}>Show all</Button>} />
        ) : (
          <VirtualList
            ref={rows}
            label={`Calls of ${action.name}`}
            items={shown}
            rowHeight={56}
            getKey={keyOf}
            selectedKey={chosen}
            onSelect={({ callId }) => setChosen(callId)}
            onActivate={({ callId }) => onOpen(callId)}
            onEndReached={list.loadOlder}
            renderRow={call => (
              <CallRow call={call} known={known.get(call.callId)} onOpen={() => onOpen(call.callId)} />
            )}
          />
        )}
      </div>
      <HistoryEnd list={list} isNarrowed={times !== null} />
    </div>
  )
}

/** Says what the rows lack, and why no older ones follow. */
function HistoryEnd(props: {
  readonly list: ReturnType<typeof useOccurrences>
  readonly isNarrowed: boolean
}) {
  const { list, isNarrowed } = props
  const { error, olderError, isLoadingOlder, end } = list
  if (error !== null)
    return (
      <ListLine isAlert action="Try again" onAction={list.refetch}>
        The newest could not be read. {problemOf(error).message}
      </ListLine>
    )
  if (olderError !== null)
    return (
      <ListLine isAlert action="Try again" onAction={list.loadOlder}>
        Older ones could not be read. {problemOf(olderError).message}
      </ListLine>
    )
  if (end === null)
    // A range leaves few rows, so that scrolling may never ask for older ones.
    return isNarrowed ? (
      <ListLine action="Read older" isBusy={isLoadingOlder} onAction={list.loadOlder}>
        Older calls have not been read yet.
      </ListLine>
    ) : null
  if (end.reason === 'start') return null
  return (
    <ListLine>
      Older calls are not kept: a connection keeps {formatNumber(keptItems.most)} calls, for {keptItems.days}{' '}
      days.
    </ListLine>
  )
}
