import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedSemaphore } from '#main/workflows/keyed-semaphore.ts'

/** Uses that each run until they are ended. */
function openUses(most: () => number) {
  const semaphore = createKeyedSemaphore(most)
  const running: (() => void)[] = []
  const done: Promise<void>[] = []
  return {
    running,
    begin(count: number, key = 'a', signal = new AbortController().signal) {
      for (let n = 0; n < count; n++)
        done.push(semaphore.use(key, signal, () => new Promise<void>(resolve => running.push(resolve))))
      return done.slice(-count)
    },
    async end(count: number) {
      const ended = done.splice(0, count)
      for (const end of running.splice(0, count)) end()
      await Promise.all(ended)
      // Those that waited have begun.
      await setImmediate()
    },
  }
}

test('lets at most so many uses of a key run at once', async () => {
  const uses = openUses(() => 2)
  uses.begin(3)
  uses.begin(2, 'b')
  expect(uses.running).toHaveLength(4)
  await uses.end(1)
  expect(uses.running).toHaveLength(4)
})

test('follows a limit that grows or becomes smaller', async () => {
  let most = 16
  const uses = openUses(() => most)
  uses.begin(40)
  expect(uses.running).toHaveLength(16)
  most = 4
  for (const left of [14, 12]) {
    await uses.end(2)
    expect(uses.running).toHaveLength(left)
  }
  await uses.end(9)
  expect(uses.running).toHaveLength(4)
  most = 8
  await uses.end(1)
  expect(uses.running).toHaveLength(8)
})

test('begins no use that was aborted while it waited', async () => {
  const uses = openUses(() => 1)
  const aborting = new AbortController()
  uses.begin(1)
  const [late] = uses.begin(1, 'a', aborting.signal)
  aborting.abort(new Error('Enough.'))
  await expect(late).rejects.toThrow('Enough.')
  expect(uses.running).toHaveLength(1)
  await uses.end(1)
  uses.begin(1)
  expect(uses.running).toHaveLength(1)
})
