import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { countOf } from '../storage/event-log-events.ts'
import { recordNamed } from '../support/connection-records.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { exchange, openRawClient } from '../support/raw-http.ts'
import { signedRequest } from '../support/sender.ts'

const many = Array.from({ length: 20 }, (_, index) => ({ body: `{"event":"e${index}"}` }))

test('while the database is locked events are refused with 503; afterwards they pass, and none counts as a repeat', async () => {
  const fixture = await startInbound({ ownLog: true })
  const { connection } = fixture
  const database = new DatabaseSync(fixture.eventLogFile)
  database.exec('BEGIN IMMEDIATE')
  const refused = await Promise.all(many.map(options => fixture.post(options)))
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    many.map(() => [503, '5']),
  )
  expect(fixture.triggers).toEqual([])
  database.close()
  expect(await countOf(fixture.log, connection.connectionId)).toBe(0)

  const accepted = await Promise.all(many.map(options => fixture.post(options)))
  expect(accepted.map(({ status }) => status)).toEqual(many.map(() => 200))
  expect(fixture.triggers.filter(({ repeat }) => !repeat)).toHaveLength(many.length)
  expect(await countOf(fixture.log, connection.connectionId)).toBe(many.length)
})

test('a connection that stores nothing is served meanwhile', async () => {
  const fixture = await startInbound({ ownLog: true, connection: { persistEvents: false } })
  const database = new DatabaseSync(fixture.eventLogFile)
  database.exec('BEGIN IMMEDIATE')
  expect((await fixture.post()).status).toBe(200)
  database.close()
})

test('with a full disk events are refused with 503; once there is room they pass', async () => {
  const fixture = await startInbound({ maxPages: 100 })
  const { connection, log } = fixture
  const event = (n: number) => ({
    body: JSON.stringify({ event: 'a', data: { n, fill: 'x'.repeat(20_000) } }),
  })
  let accepted = 0
  while ((await fixture.post(event(accepted))).status === 200) accepted++
  expect(accepted).toBeGreaterThan(5)
  expect((await fixture.post(event(accepted))).status).toBe(503)
  expect(fixture.triggers).toHaveLength(accepted)
  expect(await countOf(log, connection.connectionId)).toBe(accepted)

  await log.clear(connection.connectionId)
  await expect.poll(async () => (await fixture.post(event(accepted))).status).toBe(200)
  expect(fixture.triggers.at(-1)?.repeat).toBe(false)
})

test('what cannot be stored is shown in the feed', async () => {
  const fixture = await startInbound({ maxPages: 60 })
  const body = JSON.stringify({ event: 'a', data: { fill: 'x'.repeat(500_000) } })
  expect((await fixture.post({ body })).status).toBe(503)
  const items = fixture.activity.follow({ matches: () => true, lastId: null })
  expect((await items.next()).value).toMatchObject({ type: 'event.rejected', code: 'unavailable' })
})

test('kill -9 loses nothing that was answered 200', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cc-kill-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/inbound-process.ts'), folder])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line]: string[] = await once(child.stdout.setEncoding('utf8'), 'data')
  const address = { host: '127.0.0.1', port: Number(line) }
  const { inboundToken: token, signingSecret: secret, connectionId } = recordNamed('first')

  const answered: string[] = []
  const send = async (sender: number) => {
    const client = await openRawClient(address)
    onTestFinished(() => client.destroy())
    for (let count = 0; ; count++) {
      const name = `sender-${sender}.event-${count}`
      await client.write(signedRequest({ token, secret }, Date.now(), { body: `{"event":"${name}"}` }).bytes)
      const answer = await client.read().catch(() => null)
      if (answer === null) return
      expect(answer.status).toBe(200)
      answered.push(name)
      if (answered.length === 300) child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, sender) => send(sender)))
  expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL')

  const log = await openSqliteEventLog({ file: join(folder, 'events.sqlite') })
  onTestFinished(() => log.close())
  const kept = new Set<string>()
  let before: string | null | undefined
  while (before !== null) {
    const page = await log.list(connectionId, { limit: 200, ...(before !== undefined && { before }) })
    for (const { eventName } of page.events) kept.add(eventName)
    before = page.nextBefore
  }
  expect(answered.length).toBeGreaterThanOrEqual(300)
  expect(answered.filter(name => !kept.has(name))).toEqual([])
})

test('a restart goes on with newer event ids, though the clock was set back', async () => {
  const first = await startInbound({ ownLog: true })
  await first.post()
  const newest = first.triggers[0]?.eventId
  first.clock.now -= 86_400_000
  const [answer] = await exchange(first, [signedRequest(first.connection, first.clock.now).bytes])
  expect(answer?.status).toBe(200)
  expect((first.triggers[1]?.eventId ?? '') > (newest ?? '')).toBe(true)
})
