import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCallLimits } from '#main/storage/call-limits.ts'
import { jsonFile } from '#main/storage/document.ts'
import { openCallLimitRecords } from '#main/storage/local/call-limits.ts'
import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { describeCallLimits } from './call-limits-contract.ts'

const start = Date.UTC(2026, 0, 1)
const limit = { calls: 1, perSeconds: 60 }

/** A problem fails the test. */
const onError = (error: unknown): void => {
  throw error
}

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-call-limits-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'call-limits.json')
}

async function openOn(file: string, clock: () => number, onProblem = onError) {
  const records = await openCallLimitRecords(jsonFile(file), clock, onProblem)
  const signals = createLocalSignals(onError)
  const limits = await openCallLimits({ records, signals, clock, pollMs: null, onError })
  return {
    limits,
    async close() {
      await limits.close()
      await records.close()
    },
  }
}

describeCallLimits('The call limits of one process', async clock => {
  const file = await newFile()
  let opened = await openOn(file, clock)
  return {
    handles: [opened.limits, opened.limits],
    async reopen() {
      await opened.close()
      opened = await openOn(file, clock)
      return opened.limits
    },
    dispose: () => opened.close(),
  }
})

test.each(['', '{', '[]', '{"version":1,"pauses":[{"connectionId":1}],"windows":[]}'])(
  'a document that cannot be read (%s) limits nothing, and is replaced',
  async text => {
    const file = await newFile()
    await writeFile(file, text)
    const problems: unknown[] = []
    const { limits, close } = await openOn(
      file,
      () => start,
      error => problems.push(error),
    )
    expect(problems).toHaveLength(1)
    expect(limits.pausedUntil('conn_1')).toBeNull()
    await limits.pause('conn_1', start + 1000)
    await close()
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pauses: [{ connectionId: 'conn_1' }] })
  },
)

test('what has ended leaves the document', async () => {
  const file = await newFile()
  let now = start
  const { limits, close } = await openOn(file, () => now)
  await limits.pause('conn_1', start + 1000)
  await limits.take('conn_1', limit, { comesAgain: false })
  now += 2 * 3_600_000
  await limits.pause('conn_2', now + 1000)
  await close()
  const written = JSON.parse(await readFile(file, 'utf8'))
  expect(written).toEqual({
    version: 1,
    pauses: [{ connectionId: 'conn_2', until: now + 1000 }],
    windows: [],
  })
})

test('calls that ask at the same time share one change, and an error reaches each of them', async () => {
  const file = await newFile()
  const records = await openCallLimitRecords(jsonFile(file), () => start, onError)
  let changes = 0
  let failure: Error | null = null
  const counted: typeof records = {
    ...records,
    async change(connectionId, change) {
      changes++
      if (failure !== null) throw failure
      return records.change(connectionId, change)
    },
  }
  const signals = createLocalSignals(onError)
  const limits = await openCallLimits({
    records: counted,
    signals,
    clock: () => start,
    pollMs: null,
    onError,
  })
  const take = () => limits.take('conn_1', { calls: 5, perSeconds: 60 }, { comesAgain: false })
  const rooms = await Promise.all(Array.from({ length: 8 }, take))
  expect(rooms.filter(room => 'place' in room)).toHaveLength(5)
  expect(changes).toBe(1)
  failure = new Error('gone')
  expect((await Promise.allSettled([take(), take()])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ])
  failure = null
  expect(await take()).toHaveProperty('dueAt')
  await limits.close()
  await records.close()
})
