import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import { runCliHere as runCli } from '../support/cli-here.ts'
import { jsonOf } from '../support/cli-process.ts'
import { createConnection, rest, sharedService } from '../support/cli-service.ts'
import { missingOf, titled } from '../support/has-program.ts'

const shared = sharedService()

/** The options of each event, and the body that they make. */
const cases: [args: string[], body: object][] = [
  [
    ['conversation.started', '--agent-id', 'sales', '--timestamp', '2026-11-26T11:00:00+01:00'],
    {
      event: 'conversation.started',
      agentId: 'sales',
      channel: 'web',
      timestamp: '2026-11-26T10:00:00.000Z',
    },
  ],
  [
    ['lead.captured', '--name', 'Zoë', '--email', 'zoe@example.com', '--phone', '1'],
    { event: 'lead.captured', data: { name: 'Zoë', email: 'zoe@example.com', phone: '1' } },
  ],
  [
    [
      'appointment.booked',
      '--customer-email',
      'a@b.example',
      '--date-time',
      '2026-11-26T11:00:00Z',
      '--service',
      'Cut',
    ],
    {
      event: 'appointment.booked',
      data: { customerEmail: 'a@b.example', dateTime: '2026-11-26T11:00:00.000Z', service: 'Cut' },
    },
  ],
]

describe('send, for the webhook events of the platform', () => {
  it('posts each in its exact shape to another service, which forwards none of the fields beside data', async () => {
    const service = shared()
    const { connectionId, credentials } = await createConnection(service, 'Receiver')
    const target = ['--url', credentials.inboundUrl, '--secret', credentials.signingSecret, '--json']
    for (const [args] of cases)
      expect(jsonOf(await runCli(['send', ...args, ...target], { env: {} }))).toMatchObject({ status: 200 })
    const { body } = await rest(service, 'GET', `/connections/${connectionId}/events`)
    const { events } = z
      .object({ events: z.array(z.object({ bodyText: z.string(), dataText: z.string() })) })
      .parse(body)
    expect(events.map(({ bodyText }): unknown => JSON.parse(bodyText)).reverse()).toEqual(
      cases.map(([, sent]) => sent),
    )
    expect(events.at(-1)?.dataText).toBe('{}')
  })

  const missing = missingOf('python3')
  it.skipIf(missing.length > 0)(
    titled('posts each to a receiver in Python, which verifies the signature', missing),
    async () => {
      const secret = 'whsec_of-the-python-receiver'
      const script = join(import.meta.dirname, 'fixtures/receive.py')
      const receiver = spawn('python3', [script, String(cases.length + 1)], {
        env: { ...process.env, SECRET: secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void receiver.kill())
      const lines = createInterface(receiver.stdout)
      const [port] = z.tuple([z.string()]).parse(await once(lines, 'line'))
      const printed = once(lines, 'line')
      const target = (key: string) => ['--url', `http://127.0.0.1:${port}/hook`, '--secret', key, '--json']
      const wrong = await runCli(['send', 'lead.captured', ...target('whsec_other')])
      expect([wrong.code, jsonOf(wrong)]).toMatchObject([1, { status: 401 }])
      for (const [args] of cases)
        expect(jsonOf(await runCli(['send', ...args, ...target(secret)]))).toMatchObject({ status: 200 })
      expect(JSON.parse(z.tuple([z.string()]).parse(await printed)[0])).toEqual(cases.map(([, sent]) => sent))
    },
  )

  it('gives omitted fields example values, and leaves events with --data alone', async () => {
    const service = shared()
    const { connectionId, credentials } = await createConnection(service, 'Examples')
    const target = ['--url', credentials.inboundUrl, '--secret', credentials.signingSecret]
    const names = WebhookEvent.options.map(({ shape }) => shape.event.value)
    for (const name of names) expect((await runCli(['send', name, ...target])).code).toBe(0)
    await runCli(['send', 'lead.captured', '--data', '{"score": 1}', ...target])
    const { body } = await rest(service, 'GET', `/connections/${connectionId}/events`)
    const [last, ...events] = z
      .object({ events: z.array(z.object({ bodyText: z.string() })) })
      .parse(body)
      .events.map(({ bodyText }): unknown => JSON.parse(bodyText))
    expect(last).toEqual({ event: 'lead.captured', data: { score: 1 } })
    expect(events.map(event => WebhookEvent.parse(event).event).reverse()).toEqual(names)
  })

  it.each([
    [['lead.captured', '--channel', 'web'], '--channel: The event lead.captured has no such field.'],
    [['order.paid', '--email', 'a'], '--email: The event order.paid has no such field.'],
    [['lead.captured', '--email', 'a', '--data', '{}'], 'Give either --data or --email.'],
    [
      ['conversation.started', '--timestamp', '2026-11-26 11:00'],
      '--timestamp: The time has no offset from UTC',
    ],
    [['appointment.booked', '--date-time', '2026-11-31T11:00Z'], '--date-time: The date does not exist'],
    [['conversation.started', '--agent-id', 'a b'], 'agentId: An agent’s id has 1 to 64'],
  ])('refuses %j', async (args, sentence) => {
    const target = ['--url', 'http://127.0.0.1:9/x', '--secret', 'whsec_x']
    const { code, stderr } = await runCli(['send', ...args, ...target])
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
  })
})
