import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { jsonFile, type StoredDocument } from '#main/storage/document.ts'
import { createLocalSignals } from '#main/storage/local/local-signals.ts'
import { openSessionRecords } from '#main/storage/local/sessions.ts'
import { createSessions } from '#main/storage/sessions.ts'
import { describeSessionStore } from './sessions-contract.ts'

const [one, two] = ['1'.repeat(64), '2'.repeat(64)]
const start = Date.UTC(2026, 0, 1)
const monthMs = 30 * 24 * 60 * 60 * 1000

/** A problem of the document fails the test. */
const onProblem = (error: unknown) => {
  throw error
}

async function openSessions(
  document: StoredDocument,
  clock: () => number,
  onDocument: (error: unknown) => void = onProblem,
) {
  const records = await openSessionRecords(document, clock(), onDocument)
  const sessions = createSessions(records, createLocalSignals(onProblem), clock, onProblem)
  onTestFinished(sessions.close)
  return sessions
}

/** A document in a new folder; `dispose` waits for its last write. */
async function newDocument() {
  const folder = await mkdtemp(join(tmpdir(), 'cc-sessions-'))
  const file = jsonFile(join(folder, 'sessions.json'))
  let last = Promise.resolve()
  const document = { ...file, write: (value: unknown) => (last = file.write(value)) }
  const dispose = async () => {
    await last
    await rm(folder, { recursive: true, force: true })
  }
  return { document, dispose }
}

describeSessionStore('The sessions of one process', async clock => {
  const { document, dispose } = await newDocument()
  const open = () => openSessions(document, clock)
  const sessions = await open()
  return { handles: [sessions, sessions], reopen: open, dispose }
})

test('a session that is over at a start stays over when the clock is set back', async () => {
  const { document, dispose } = await newDocument()
  onTestFinished(dispose)
  const clock = { now: start }
  const open = () => openSessions(document, () => clock.now)
  const sessions = await open()
  await sessions.add(one, monthMs)
  await sessions.add(two, 2 * monthMs)
  clock.now += monthMs
  await open()
  clock.now = start
  const again = await open()
  expect([await again.isOpen(one), await again.isOpen(two)]).toEqual([false, true])
})

describe('The timer of sessions', () => {
  async function opened(clock: () => number) {
    const { document, dispose } = await newDocument()
    onTestFinished(dispose)
    return openSessions(document, clock)
  }

  test('tells in time that a session is over, though nobody asks', async () => {
    let clock = () => start
    const sessions = await opened(() => clock())
    await sessions.add(one, monthMs)
    // Intervals alone: what else this process does sets timers too, which would be counted.
    const now = start + monthMs - 90_000
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now })
    onTestFinished(() => void vi.useRealTimers())
    clock = Date.now
    const over: string[] = []
    sessions.onOver(one, () => over.push('first'))
    sessions.onOver(one, () => over.push('second'))
    const callOff = sessions.onOver(one, () => over.push('called off'))
    callOff()
    await vi.advanceTimersByTimeAsync(89_999)
    expect(over).toEqual([])
    vi.advanceTimersByTime(1000)
    // First its end is written.
    await expect.poll(() => over).toEqual(['first', 'second'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('tells it soon after the clock was set, or the computer slept, past the time', async () => {
    const clock = { now: start }
    const sessions = await opened(() => clock.now)
    await sessions.add(one, monthMs)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const onOver = vi.fn()
    sessions.onOver(one, onOver)
    clock.now += monthMs
    vi.advanceTimersByTime(1000)
    await expect.poll(() => onOver.mock.calls.length).toBe(1)
  })

  test('runs only while somebody waits', async () => {
    const sessions = await opened(() => start)
    await sessions.add(one, monthMs)
    await sessions.add(two, monthMs)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const [first, second, third] = [one, two, one].map(digest => sessions.onOver(digest, () => {}))
    sessions.onOver(two, () => {})
    expect(vi.getTimerCount()).toBe(1)
    for (const stop of [first, second, third]) stop?.()
    expect(vi.getTimerCount()).toBe(1)
    await sessions.end(two)
    expect(vi.getTimerCount()).toBe(0)
    sessions.onOver(one, () => {})()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('The document of sessions', () => {
  test.each(['', '{', '[]', '{"sessions":[{"digest":"","expiresAt":1}]}', '{"sessions":[{"digest":7}]}'])(
    'is replaced if it is damaged (%s): everybody signs in again',
    async text => {
      const folder = await mkdtemp(join(tmpdir(), 'cc-sessions-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const document = jsonFile(join(folder, 'sessions.json'))
      await writeFile(join(folder, 'sessions.json'), text)
      const problems: unknown[] = []
      const open = () =>
        openSessions(
          document,
          () => start,
          error => problems.push(error),
        )
      const sessions = await open()
      expect(problems).toHaveLength(1)
      expect(await sessions.isOpen(one)).toBe(false)
      await sessions.add(two, monthMs)
      expect(await (await open()).isOpen(two)).toBe(true)
    },
  )

  test('is read and written in the format of earlier versions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cc-sessions-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'sessions.json')
    await writeFile(file, `{"sessions":[{"digest":"${one}","expiresAt":${start + monthMs}}]}\n`)
    const sessions = await openSessions(jsonFile(file), () => start)
    expect(await sessions.isOpen(one)).toBe(true)
    await sessions.add(two, monthMs)
    const expiresAt = start + monthMs
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      sessions: [
        { digest: one, expiresAt },
        { digest: two, expiresAt },
      ],
    })
  })

  test('is not needed to sign in, but to sign out for good', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cc-sessions-'))
    await rm(folder, { recursive: true })
    const problems: unknown[] = []
    const sessions = await openSessions(
      jsonFile(join(folder, 'sessions.json')),
      () => start,
      error => problems.push(error),
    )
    await sessions.add(one, monthMs)
    expect(await sessions.isOpen(one)).toBe(true)
    expect(problems).toHaveLength(1)
    await expect(sessions.end(one)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await sessions.isOpen(one)).toBe(false)
  })
})
