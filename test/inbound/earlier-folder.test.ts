import { createHmac } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EventPage, StoredEvent } from '#shared/model/inbound-event.ts'
import { openService, type ServiceFixture, startOfTests } from '../support/service-fixture.ts'

const fixture = join(import.meta.dirname, '../fixtures/earlier-folder')
const names = ['Path', 'Body', 'GitHub', 'Slack', 'Standard Webhooks'] as const
type Name = (typeof names)[number]
const Answer = z.object({
  ...{ connectionId: z.string(), path: z.string(), sender: z.looseObject({}) },
  events: z.array(StoredEvent),
})
const Answers = z.record(z.enum(names), Answer)
const Replayed = z.object({ eventId: z.string() })
const Notices = z.object({ notices: z.array(z.string()) })
const Shown = z.object({ sender: z.looseObject({}) })

/** When the folder is opened: the times of requests are those of then. */
const now = startOfTests + 3_600_000
const seconds = String(now / 1000)

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const oldKey = 'secret 1 of Standard Webhooks!'

/** Returns the headers with which each sender signs a body. */
const signers: Record<Name, (body: string) => Record<string, string>> = {
  Path: body => ({ 'x-time': seconds, 'x-sig': hex('secret of Path', `${seconds}.${body}`) }),
  Body: body => ({ 'x-topic': 'order.sent', 'x-sig': hex('secret of Body', body) }),
  GitHub: body => ({
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${hex('secret of GitHub', body)}`,
  }),
  Slack: body => ({
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': `v0=${hex('secret of Slack', `v0:${seconds}:${body}`)}`,
  }),
  'Standard Webhooks': body => ({
    'webhook-id': 'msg_3',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${createHmac('sha256', oldKey).update(`msg_3.${seconds}.${body}`).digest('base64')}`,
  }),
}

let folder: string
let service: ServiceFixture
let before: z.infer<typeof Answers>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cc-earlier-'))
  for (const file of ['config.json', 'secret.key']) await copyFile(join(fixture, file), join(folder, file))
  const database = new DatabaseSync(join(folder, 'events.sqlite'))
  database.exec(await readFile(join(fixture, 'events.sql'), 'utf8'))
  database.close()
  before = Answers.parse(JSON.parse(await readFile(join(fixture, 'answers.json'), 'utf8')))
  service = await openService({ service: { dataFolder: folder, clock: () => now } })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: Name) => before[name]

async function eventsOf(name: Name): Promise<readonly StoredEvent[]> {
  const { body } = await service.rest('GET', `/connections/${at(name).connectionId}/events`)
  return EventPage.parse(body).events
}

async function post(name: Name, body: string, headers: Record<string, string>): Promise<number> {
  const url = service.listenerUrl + at(name).path
  const { status } = await fetch(url, { method: 'POST', body, headers })
  return status
}

const requests: [
  name: Name,
  type: Record<string, string>,
  body: string,
  eventName: string,
  dataText: string,
][] = [
  ['Path', json, '{"kind":"a","payload":{"order":{"n":1.10}}}', 'a', '{"n":1.10}'],
  ['Body', form, 'id=9&note=a+b&id=10', 'order.sent', '{"id":"10","note":"a b"}'],
  ['Body', json, '{"id":9.0}', 'order.sent', '{"id":9.0}'],
  [
    'GitHub',
    form,
    `payload=${encodeURIComponent('{"ref":"x","size":2.50}')}`,
    'push',
    '{"ref":"x","size":2.50}',
  ],
  ['GitHub', json, '{"ref":"y"}', 'push', '{"ref":"y"}'],
  ['Slack', form, 'command=%2Fstop&text=now', '/stop', '{"command":"/stop","text":"now"}'],
  ['Standard Webhooks', json, '{"type":"user.gone","data":{"id":3}}', 'user.gone', '{"id":3}'],
]

describe('a folder from before senders had kinds and formats', () => {
  test('opens without a loss', async () => {
    const { body } = await service.rest('GET', '/service')
    expect(Notices.parse(body).notices).toEqual([])
  })

  test.each(names)('has the scheme and the events of %s as they were', async name => {
    const { connectionId, sender, events } = at(name)
    expect(Shown.parse((await service.rest('GET', `/connections/${connectionId}`)).body).sender).toEqual(
      sender,
    )
    expect((await eventsOf(name)).slice(-events.length)).toEqual(events)
  })

  test.each(requests)(
    'accepts what %s sends, as %j, as before',
    async (name, type, body, eventName, dataText) => {
      const headers = { ...type, ...signers[name](body) }
      expect(await post(name, `${body} `, headers)).toBe(401)
      expect(await post(name, body, headers)).toBe(200)
      const [event] = await eventsOf(name)
      const oldSecret = name === 'Standard Webhooks'
      expect(event).toMatchObject({ eventName, dataText, bodyText: body, oldSecret })
    },
  )

  test.each(['Body', 'GitHub'] as const)('knows the requests of %s again', async name => {
    const known = await eventsOf(name)
    for (const { bodyText, headers } of at(name).events) {
      const type = Object.fromEntries(headers.filter(([header]) => header === 'content-type'))
      expect(await post(name, bodyText, { ...type, ...signers[name](bodyText) })).toBe(200)
    }
    expect(await eventsOf(name)).toEqual(known)
  })

  test.each(names)('replays the events of %s', async name => {
    for (const { eventId, eventName, dataText, bodyText } of at(name).events) {
      const path = `/connections/${at(name).connectionId}/events/${eventId}/replay`
      const { eventId: replayId } = Replayed.parse((await service.rest('POST', path)).body)
      const [newest] = await eventsOf(name)
      expect(newest).toMatchObject({ eventId: replayId, replayOf: eventId, eventName, dataText, bodyText })
    }
  })

  test.each(names)('keeps the scheme of %s when its connection is saved', async name => {
    const { connectionId, sender } = at(name)
    const { status, body } = await service.rest('PATCH', `/connections/${connectionId}`, { sender })
    expect([status, Shown.parse(body).sender]).toEqual([200, sender])
    if (name !== 'Body') return
    const text = 'id=saved'
    expect(await post(name, text, { ...form, ...signers[name](text) })).toBe(200)
    expect((await eventsOf(name))[0]?.dataText).toBe('{"id":"saved"}')
  })
})
