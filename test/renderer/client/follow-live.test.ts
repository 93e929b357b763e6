import { withEventMeta } from '@orpc/server'
import { expect, test } from 'vitest'
import { followLive, type LiveSource, retryDelay } from '#renderer/client/follow-live.ts'
import type { LiveMessage } from '#shared/model/live.ts'

const changed: LiveMessage = { type: 'configuration' }

/** Follows until all sources were opened. Each sends its messages and then fails. */
async function follow(sources: readonly LiveMessage[][], fails: readonly number[] = []) {
  const stop = new AbortController()
  const opened: (string | undefined)[] = []
  const states: string[] = []
  const waited: number[] = []
  const seen: LiveMessage[] = []
  const open: LiveSource<LiveMessage> = async lastEventId => {
    opened.push(lastEventId)
    const turn = opened.length - 1
    if (fails.includes(turn)) throw new TypeError('Failed to fetch')
    return (async function* () {
      yield* sources[turn] ?? []
    })()
  }
  await followLive({
    open,
    onMessage: message => seen.push(message),
    onState: state => states.push(state),
    wait: async ms => {
      waited.push(ms)
      if (opened.length >= sources.length) stop.abort()
    },
    signal: stop.signal,
  })
  return { opened, states, waited, seen }
}

test('reopens an ended stream from the last item seen, and says that it is lost only if the next one has nothing', async () => {
  const item = (id: string) => withEventMeta({ ...changed }, { id })
  const { opened, states, seen } = await follow([[item('a'), item('b')], [changed], []])
  expect(opened).toEqual([undefined, 'b', 'b'])
  expect(seen).toHaveLength(3)
  // The last one sends nothing.
  expect(states).toEqual(['live', 'live', 'lost'])
})

test('backs off while streams fail, and starts over after a message', async () => {
  const { waited, states } = await follow([[], [], [], [changed], []], [0, 1, 2])
  expect(waited).toEqual([retryDelay(0), retryDelay(1), retryDelay(2), retryDelay(0), retryDelay(1)])
  expect(states).toEqual(['lost', 'lost', 'lost', 'live', 'lost'])
  expect(retryDelay(1000)).toBeLessThanOrEqual(16_000)
})
