import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { addFile } from '../../support/add-file.ts'
import { createConnection } from '../../support/rest-client.ts'
import { call, say, startScriptedModel } from '../../support/scripted-model.ts'
import { postInbound, type ServiceFixture, type TestCredentials } from '../../support/service-fixture.ts'

/** The contents of a full data folder, for its readers. */
export type FullFolder = {
  readonly credentials: TestCredentials
  /** Paths of every kind of read below /api/v1. */
  readonly reads: readonly string[]
}

const Id = z.object({ workflowId: z.string() })
const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })) })
const Events = z.object({ events: z.array(z.object({ eventId: z.string() })) })
const Conversation = z.object({ conversationId: z.string(), status: z.string().optional() })
const Files = z.array(z.object({ fileId: z.string() }))

const words =
  'order invoice refund parcel keyboard cable warehouse customer return policy shipping delay'.split(' ')
const sentence = (n: number) =>
  Array.from({ length: 14 }, (_, at) => words[(n * 7 + at * 5) % words.length]).join(' ')

/** Fills the data folder of a service: events, runs in each state, refused requests, calls, conversations, knowledge. */
export async function fillFolder(fixture: ServiceFixture, events = 400): Promise<FullFolder> {
  const { rest } = fixture
  const model = await startScriptedModel()
  try {
    const { connectionId, credentials } = await createConnection(rest, {
      ...{ name: 'Shop', persistEvents: true, baseUrl: model.origin },
    })
    const created = await rest('POST', `/connections/${connectionId}/actions`, {
      ...{ name: 'Look up', toolName: 'look_up', description: 'Looks up', method: 'GET', path: '/nothing' },
    })
    const { actionId } = z.object({ actionId: z.string() }).parse(created.body)
    const trigger = (eventName: string) => ({ type: 'external.event', connectionId, eventName })
    const workflowIds: string[] = []
    for (const { name, eventName, steps } of [
      {
        ...{ name: 'Decides', eventName: 'order.created' },
        steps: [{ key: 'note', type: 'notify', message: 'Order {{n}}: {{text}}' }],
      },
      {
        ...{ name: 'Calls', eventName: 'order.paid' },
        steps: [
          { key: 'note', type: 'notify', message: 'Paid {{n}}' },
          { key: 'ask', type: 'http', method: 'GET', url: `${model.origin}/nothing/{{n}}` },
        ],
      },
      {
        ...{ name: 'Waits', eventName: 'order.held' },
        steps: [
          { key: 'before', type: 'notify', message: 'Before {{n}}' },
          { key: 'pause', type: 'wait', seconds: 86_400 },
          { key: 'after', type: 'notify', message: 'After {{n}}' },
        ],
      },
    ]) {
      const { body, text } = await rest('POST', '/workflows', { name, trigger: trigger(eventName), steps })
      const parsed = Id.safeParse(body)
      if (!parsed.success) throw new Error(text)
      workflowIds.push(parsed.data.workflowId)
    }
    const names = ['order.created', 'order.created', 'order.paid', 'order.held']
    for (let n = 0; n < events; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => n + at).map(n =>
          postInbound(
            credentials,
            JSON.stringify({
              event: names[n % names.length],
              data: { n, text: sentence(n), long: n % 25 === 0 ? sentence(n).repeat(60) : '' },
            }),
            fixture.clock.now + n,
          ),
        ),
      )
    for (let n = 0; n < 40; n++)
      await postInbound({ ...credentials, signingSecret: 'whsec_wrong' }, `{"event":"x","data":{"n":${n}}}`)
    const callIds: string[] = []
    for (let n = 0; n < 40; n++) {
      const { body } = await rest('POST', `/connections/${connectionId}/actions/${actionId}/test`, {})
      callIds.push(z.object({ callId: z.string() }).parse(body).callId)
    }

    await rest('PATCH', '/settings', { assistantModel: model.model })
    const conversationIds: string[] = []
    for (let n = 0; n < 12; n++) {
      const { body } = await rest('POST', '/conversations', {})
      const { conversationId } = Conversation.parse(body)
      conversationIds.push(conversationId)
      model.script([{ text: 'Let me see.' }, call('nothing', {})], say(sentence(n).repeat(20)))
      await rest('POST', `/conversations/${conversationId}/messages`, {
        text: `Question ${n}: ${sentence(n)}`,
      })
      for (;;) {
        const now = Conversation.parse((await rest('GET', `/conversations/${conversationId}`)).body)
        if (now.status === 'idle') break
        await setTimeout(10)
      }
    }
    for (let n = 0; n < 6; n++) await addFile(fixture, `file-${n}.txt`, textOf(n))

    const idle = async () => {
      const { body } = await rest('GET', '/runs/counts')
      const { queued, running } = z.object({ queued: z.int(), running: z.int() }).loose().parse(body)
      return queued + running === 0
    }
    while (!(await idle())) await setTimeout(20)
    const of = `/connections/${connectionId}`
    const one = async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
      schema.parse((await rest('GET', path)).body)
    const { runs } = await one('/runs?limit=200', Runs)
    const { events: stored } = await one(`${of}/events?limit=200`, Events)
    const files = await one('/platform/knowledge', Files)
    return {
      credentials,
      reads: [
        ...['/connections', '/workspaces', '/settings', '/statistics', '/attempts', '/tools', '/service'],
        ...[`${of}`, `${of}/events?limit=200`, `${of}/attempts`, `${of}/statistics/event-names`],
        ...[`${of}/events?limit=200&before=${stored.at(-1)?.eventId}`, `${of}/event-types`, `${of}/actions`],
        ...[`${of}/events?limit=200&text=warehouse`, `${of}/events?limit=200&eventName=order.paid`],
        ...['/events?limit=50&text=warehouse', '/events?limit=50&text=keyboard%20cable'],
        ...stored.filter((_, at) => at % 40 === 0).map(({ eventId }) => `${of}/events/${eventId}`),
        ...[
          '/runs?limit=200',
          '/runs/counts',
          '/runs?limit=200&status=failed',
          '/runs?limit=200&text=refund',
        ],
        ...['/runs?limit=200&status=waiting', '/runs?limit=200&eventName=order.paid'],
        ...[`/runs?limit=200&connectionId=${connectionId}`, `/runs?limit=200&before=${runs.at(-1)?.runId}`],
        ...stored.slice(0, 4).map(({ eventId }) => `/runs?eventId=${eventId}`),
        ...runs.filter((_, at) => at % 25 === 0).map(({ runId }) => `/runs/${runId}`),
        ...['/workflows', '/workflows/overview'],
        ...workflowIds.flatMap(id => [
          `/workflows/${id}`,
          `/workflows/${id}/steps`,
          `/runs?workflowId=${id}`,
        ]),
        ...callIds.filter((_, at) => at % 8 === 0).map(callId => `/calls/${callId}`),
        '/assistant/calls',
        ...['/conversations', '/conversations?text=warehouse'],
        ...conversationIds.flatMap(id => [`/conversations/${id}`, `/conversations/${id}/export`]),
        ...['/platform/knowledge', '/platform/agents', '/platform/export'],
        ...words.slice(0, 4).map(word => `/platform/knowledge/search?query=${word}&limit=20`),
        ...files.flatMap(({ fileId }) => [
          ...[`/platform/knowledge/${fileId}`, `/platform/knowledge/${fileId}/text?limit=100`],
          `/platform/knowledge/search?query=order&limit=20&fileId=${fileId}`,
        ]),
      ],
    }
  } finally {
    await model.close()
  }
}

const textOf = (n: number) =>
  Array.from({ length: 260 }, (_, at) => `${sentence(n * 100 + at)} ${n}-${at}.`).join('\n\n')
