import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import type { Figure } from './figures.ts'
import type { RunningService } from './processes.ts'

type Service = Pick<RunningService, 'call'>

/** Milliseconds that a target takes, so that a request is under way when its sender is killed. */
const answerMs = 100

/** The variable of the environment with the secret of the webhook. */
export const webhookEnv = { HOOK_SECRET: `whsec_${'a'.repeat(43)}=` }

const Told = z.object({ alertId: z.string(), state: z.enum(['open', 'closed']) })
const Delivery = z.object({ data: Told })
const Created = z.object({ workflowId: z.string() })
const Alerts = z.array(z.object({ alertId: z.string(), kind: z.string(), closedAt: z.string().nullable() }))
const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })), nextBefore: z.string().nullable() })
const Run = z.object({ payload: Told })

/** The targets of alerts: a webhook, and workflows. */
export type AlertTargets = Awaited<ReturnType<typeof startAlertTargets>>

/** Starts a receiver, and lets a service tell its webhook and its workflows of alerts. */
export async function startAlertTargets(service: Service) {
  /** The keys of the requests of each transition, and how many requests there were. */
  const noted = new Map<string, { readonly keys: Set<string>; requests: number }>()
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    try {
      const { alertId, state } = Delivery.parse(JSON.parse(await text(incoming))).data
      const one = noted.get(`${alertId} ${state}`) ?? { keys: new Set(), requests: 0 }
      one.keys.add(String(incoming.headers['idempotency-key']))
      one.requests++
      noted.set(`${alertId} ${state}`, one)
      await delay(answerMs)
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    } catch {
      response.destroy() // the sender was killed while it sent
    }
  }
  const server = createServer((incoming, response) => void answer(incoming, response))
  const { port } = await listenOn(server, '127.0.0.1', 0)
  const webhook = { url: `http://127.0.0.1:${port}`, secretVariable: 'HOOK_SECRET', alerts: true }
  await service.call('PATCH', '/workspaces/default', { webhook })

  async function createWorkflow(name: string, connectionId: string | null, outcome: string): Promise<string> {
    const trigger = { type: 'external.event', connectionId, eventName: 'service.*' }
    const steps = [{ key: 'end', type: 'stop', outcome }]
    return Created.parse(await service.call('POST', '/workflows', { name, trigger, steps })).workflowId
  }
  const succeeds = await createWorkflow('Page', 'conn_service', 'succeeded')
  const fails = await createWorkflow('Fail', 'conn_service', 'failed')
  const ofAny = await createWorkflow('Any', null, 'succeeded')

  return {
    /** Compares the alerts with what every target was told. */
    async check({ call }: Service): Promise<Figure[]> {
      const alerts = Alerts.parse(await call('GET', '/alerts?state=all&limit=200'))
      const transitions = alerts.flatMap(({ alertId, closedAt }) => [
        `${alertId} open`,
        ...(closedAt === null ? [] : [`${alertId} closed`]),
      ])
      const figures: Figure[] = [
        { name: 'alerts', value: alerts.length },
        { name: 'alerts of another kind', value: alerts.filter(isOther).length, must: 0 },
        {
          name: 'transitions that the webhook was not told under one key',
          value: transitions.filter(one => noted.get(one)?.keys.size !== 1).length,
          must: 0,
        },
        {
          name: 'of which it was told again, with that key',
          value: [...noted.values()].filter(({ requests }) => requests > 1).length,
        },
        {
          name: 'told to the webhook, but never happened',
          value: others(noted.keys(), transitions),
          must: 0,
        },
      ]
      for (const [name, workflowId] of [
        ['a workflow', succeeds],
        ['a workflow that fails', fails],
      ] as const) {
        const told = await toldTo({ call }, workflowId)
        figures.push(
          {
            name: `transitions without exactly one run of ${name}`,
            value: transitions.filter(one => told.filter(two => two === one).length !== 1).length,
            must: 0,
          },
          { name: `runs of ${name} for what never happened`, value: others(told, transitions), must: 0 },
        )
      }
      const wrong = (await toldTo({ call }, ofAny)).length
      return [...figures, { name: 'runs of a workflow for any connection', value: wrong, must: 0 }]
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const isOther = ({ kind }: { readonly kind: string }) => kind !== 'backup_old'

const others = (told: Iterable<string>, transitions: readonly string[]) =>
  [...told].filter(one => !transitions.includes(one)).length

/** Returns the transitions of all runs of a workflow. */
async function toldTo({ call }: Service, workflowId: string): Promise<string[]> {
  const told: string[] = []
  for (let before = ''; ; ) {
    const page = Runs.parse(await call('GET', `/runs?workflowId=${workflowId}&limit=200${before}`))
    for (const { runId } of page.runs) {
      const { alertId, state } = Run.parse(await call('GET', `/runs/${runId}`)).payload
      told.push(`${alertId} ${state}`)
    }
    if (page.nextBefore === null) return told
    before = `&before=${page.nextBefore}`
  }
}
