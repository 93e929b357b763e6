/**
 * How long the event loop is blocked by reading lists of events of 1 MiB with 60,000 fields, and by accepting one request
 * with 1,000 events of 1 KB that all start runs of 0, 1, 16 and 100 workflows. Target: at most 20 ms, in the median.
 */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { newFolder, removeFolder } from './support/processes.ts'
import { median } from './support/statistics.ts'
import { printHead, printRow } from './support/table.ts'
import { type Answered, startWatched, type WatchedService } from './support/watched-service.ts'

const target = { blockedMs: 20 }
const secret = 'secret of the lists'
const Connection = z.object({ connectionId: z.string() })
const Credentials = z.object({ inboundUrl: z.string() })
const Counts = z.object({ queued: z.int(), running: z.int() })

const manyFields = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'text'])))

/** The body of one event with many fields, by the sender's scheme and the type of the body. */
const largeEvents = {
  json: (n: number) => `{"n":${n},"data":${manyFields(60_000)}}`,
  form: (n: number) => `n=${n}&payload=${encodeURIComponent(manyFields(35_000))}`,
}
const types = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

/** Adds a connection, and returns its id and a function that posts a body with its signature. */
async function addSender(service: WatchedService, sender: object) {
  const made = await service.call('POST', '/connections', { name: 'Lists', persistEvents: true, sender })
  const { connectionId } = Connection.parse(made)
  await service.call('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const credentials = await service.call('GET', `/connections/${connectionId}/credentials`)
  const { inboundUrl } = Credentials.parse(credentials)
  return {
    connectionId,
    async post(body: string, type: string) {
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const headers = { 'content-type': type, 'x-github-event': 'a', 'x-hub-signature-256': signature }
      const { status } = await fetch(inboundUrl, { method: 'POST', headers, body })
      if (status !== 200) throw new Error(`An event was answered with ${status}.`)
    },
  }
}

function print(name: string, answers: readonly Answered[]) {
  const values = [median(answers.map(({ milliseconds }) => milliseconds))]
  const blocked = [median(answers.map(({ blockedMs }) => blockedMs))]
  printRow({ name, values, blocked }, target)
  return { milliseconds: values, blocked }
}

async function onService<Result>(use: (service: WatchedService) => Promise<Result>): Promise<Result> {
  const folder = newFolder()
  const service = await startWatched(folder)
  try {
    return await use(service)
  } finally {
    await service.stop()
    removeFolder(folder)
  }
}

/** Calls `act` so often, and once before for the engine to compile. */
async function rounds(count: number, act: (round: number) => Promise<Answered>): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let round = 0; round <= count; round++) answers.push(await act(round))
  return answers.slice(1)
}

async function readLists(kind: keyof typeof largeEvents, count: number) {
  return onService(async service => {
    const { connectionId, post } = await addSender(service, { scheme: 'github' })
    for (let n = 0; n < 10; n++) await post(largeEvents[kind](n), types[kind])
    const results: Record<string, object> = {}
    for (const [name, path] of Object.entries({
      events: `/connections/${connectionId}/events?limit=10`,
      'events with a text': `/connections/${connectionId}/events?limit=10&text=f34999`,
      activity: `/activity/list?connectionId=${connectionId}&limit=10`,
    }))
      results[name] = print(
        `${kind}: ${name}`,
        await rounds(count, () => service.measured(() => service.call('GET', path))),
      )
    return results
  })
}

async function acceptLists(workflows: number, count: number) {
  return onService(async service => {
    const sender = {
      ...{ scheme: 'template', signatureHeader: 'x-hub-signature-256', prefix: 'sha256=', encoding: 'hex' },
      ...{ signed: '{{body}}', eventName: { path: 'type' }, data: { items: 'body' } },
    }
    const { connectionId, post } = await addSender(service, sender)
    const trigger = { type: 'external.event', connectionId, eventName: 'a' }
    const steps = [{ key: 'stop', type: 'stop', outcome: 'succeeded' }]
    for (let n = 0; n < workflows; n++)
      await service.call('POST', '/workflows', { name: `Workflow ${n}`, trigger, steps })
    const item = { type: 'a', order: { number: 1, total: 12.5 }, note: 'x'.repeat(900) }
    const answers = await rounds(count, async round => {
      const body = JSON.stringify(Array.from({ length: 1000 }, (_, index) => ({ ...item, round, index })))
      const answer = await service.measured(() => post(body, types.json))
      for (;;) {
        const { queued, running } = Counts.parse(await service.call('GET', '/runs/counts'))
        if (queued + running === 0) return answer
      }
    })
    return print(`1,000 events with ${workflows} workflows`, answers)
  })
}

export async function run({ count = 9, workflows = [0, 1, 16, 100] } = {}) {
  printHead('median (loop blocked), ms', ['once'])
  const read = { json: await readLists('json', count), form: await readLists('form', count) }
  const accepted: Record<number, object> = {}
  for (const number of workflows) accepted[number] = await acceptLists(number, count)
  return { read, accepted }
}

if (import.meta.main) await run()
