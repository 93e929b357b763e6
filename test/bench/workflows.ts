/**
 * Workflows: events a second with a subscribed workflow against the same listener without; with a key for each event, and
 * with one key for all, against the workflow without a key; how fast queued runs drain, without and with calls to a local
 * receiver.
 */
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { listenOn } from '#main/lib/listen-on.ts'
import { load, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }
const branch = {
  ...{ key: 'branch', type: 'branch' },
  cases: [{ when: { value: '{{eventName}}', operator: 'equals', operand: 'never' }, steps: [] }],
}

export type WorkflowsBench = {
  eventsRatio: number
  keyedRatio: number
  duplicatesRatio: number
  drainedPerSecond: number
  calledPerSecond: number
}

export async function run({ rounds = 5, requests = 40_000 } = {}): Promise<WorkflowsBench> {
  const ratios: number[] = []
  const keyed: number[] = []
  const duplicates: number[] = []
  const common = { connections: 32, requests, warmup: 4000, bodyBytes: 220 }
  const service = await startService()
  const receiver = createServer((incoming, response) => {
    incoming.resume()
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  const { port } = await listenOn(receiver, '127.0.0.1', 0)
  try {
    const { connectionId, inboundUrl: url, secret } = service
    const { workflowId } = Created.parse(
      await service.call('POST', '/workflows', {
        ...{ name: 'Bench', enabled: false, concurrency: 100, trigger: triggerOf() },
        steps: [branch, stop],
      }),
    )
    /** Returns events a second with the workflow enabled. */
    const rateWith = async (key?: string) => {
      await service.call('PATCH', `/workflows/${workflowId}`, { enabled: true, trigger: triggerOf(key) })
      const { perSecond } = await load({ ...common, url, secret })
      await service.call('PATCH', `/workflows/${workflowId}`, { enabled: false, trigger: triggerOf() })
      return perSecond
    }
    for (let round = 0; round < rounds; round++) {
      const without = await load({ ...common, url, secret })
      const withRuns = await rateWith()
      ratios.push(withRuns / without.perSecond)
      keyed.push((await rateWith('{{id}}')) / withRuns)
      duplicates.push((await rateWith('{{email}}')) / withRuns)
      await service.call('PATCH', `/workflows/${workflowId}`, { enabled: true })
      await drained(service)
      await service.call('PATCH', `/workflows/${workflowId}`, { enabled: false })
      await pruned(service)
    }
    console.log(`events with a workflow to without   ${spread(ratios)}   target: at least 0.75`)
    console.log(`events with a key to without        ${spread(keyed)}`)
    console.log(`duplicates to events without a key  ${spread(duplicates)}`)

    const drainedPerSecond = await drain(service, workflowId, 10_000)
    console.log(`branch-only runs a second           ${drainedPerSecond.toFixed(0)}   target: at least 5000`)

    await service.call('PATCH', `/connections/${connectionId}`, { baseUrl: `http://127.0.0.1:${port}` })
    await service.call('POST', `/connections/${connectionId}/actions`, {
      ...{ name: 'Note', toolName: 'note', description: 'Notes.', path: '/notes', parameters: [] },
    })
    const call = { key: 'call', type: 'action', connectionId, toolName: 'note', arguments: {} }
    await service.call('PATCH', `/workflows/${workflowId}`, { steps: [call] })
    const calledPerSecond = await drain(service, workflowId, 10_000)
    console.log(`runs with a call a second           ${calledPerSecond.toFixed(0)}   target: at least 1000`)
    return {
      ...{ eventsRatio: median(ratios), keyedRatio: median(keyed), duplicatesRatio: median(duplicates) },
      ...{ drainedPerSecond, calledPerSecond },
    }
  } finally {
    receiver.closeAllConnections()
    receiver.close()
    await service.stop()
    removeFolder(service.folder)
  }
}

const triggerOf = (key?: string) => ({
  type: 'external.event',
  ...(key !== undefined && { once: { key, hours: 1 } }),
})

const Created = z.object({ workflowId: z.string() })
const Page = z.object({ runs: z.array(z.object({ status: z.string() })) })

/** Queues runs, which an ordered workflow takes one at a time, then lifts the order. @returns runs a second until all have ended. */
async function drain(service: RunningService, workflowId: string, count: number): Promise<number> {
  const { inboundUrl: url, secret } = service
  await service.call('PATCH', `/workflows/${workflowId}`, { enabled: true, ordered: true })
  await load({ connections: 32, requests: count, warmup: 0, bodyBytes: 220, url, secret })
  const left = await queued(service)
  const begun = performance.now()
  await service.call('PATCH', `/workflows/${workflowId}`, { ordered: false })
  await drained(service)
  return (left / (performance.now() - begun)) * 1000
}

async function queued(service: RunningService): Promise<number> {
  let count = 0
  let before = ''
  for (;;) {
    const page = Listed.parse(await service.call('GET', `/runs?limit=200&status=queued${before}`))
    count += page.runs.length
    if (page.nextBefore === null) return count
    before = `&before=${page.nextBefore}`
  }
}
const Listed = Page.extend({ nextBefore: z.string().nullable() })

async function drained(service: RunningService): Promise<void> {
  for (;;) {
    const pages = await Promise.all(
      ['queued', 'running', 'waiting'].map(status => service.call('GET', `/runs?limit=1&status=${status}`)),
    )
    if (pages.every(page => Page.parse(page).runs.length === 0)) return
    await delay(10)
  }
}

/** Waits until only the runs are left that are kept, so that the next round does not measure the deletion of this one's. */
async function pruned(service: RunningService): Promise<void> {
  while (Counts.parse(await service.call('GET', '/runs/counts')).succeeded > mostKept) await delay(10)
}
const Counts = z.object({ succeeded: z.int() })
const mostKept = 10_000

if (import.meta.main) await run()
