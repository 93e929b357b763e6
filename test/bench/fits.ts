/**
 * 1,000 workflows of which 10 fit each event, by the condition or by the event names of their triggers: events a second
 * against the 10 alone, and the processor time of an event.
 */
import { cpuSecondsOf } from './support/cpu-time.ts'
import { load, type RunningService, removeFolder, startService } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

const stop = { key: 'stop', type: 'stop', outcome: 'succeeded' }
/** The name and a field of each event of `load`. */
const eventName = 'order.created'
const email = 'ada@example.com'
const fitting = 10

const equals = (operand: string) => ({ value: '{{email}}', operator: 'equals', operand })
const order = { value: '{{total}}', operator: 'equals', operand: 129.9 }

/** The triggers of the workflows that fit each event, and of those that do not. */
const kinds: Record<FitsKind, { fits: object; other: (index: number) => object }> = {
  equals: {
    fits: { when: equals(email) },
    other: index => ({ when: equals(`other-${index}@example.com`) }),
  },
  all: {
    fits: { when: { all: [order, equals(email)] } },
    other: index => ({ when: { all: [order, equals(`other-${index}@example.com`)] } }),
  },
  names: {
    fits: { eventName: null, eventNames: [eventName, 'order.paid'] },
    other: index => ({ eventName: null, eventNames: [`order.other-${index}`, `order-${index}.*`] }),
  },
}

type FitsKind = 'equals' | 'all' | 'names'
export type FitsBench = Record<FitsKind, number>

export async function run({ workflows = 1000, rounds = 5, requests = 10_000 } = {}): Promise<FitsBench> {
  return {
    equals: await ratioOf('equals', { workflows, rounds, requests }),
    all: await ratioOf('all', { workflows, rounds, requests }),
    names: await ratioOf('names', { workflows, rounds, requests }),
  }
}

type Options = { readonly workflows: number; readonly rounds: number; readonly requests: number }

async function ratioOf(kind: FitsKind, { workflows, rounds: count, requests }: Options): Promise<number> {
  const [alone, among] = [await startService(), await startService()]
  const common = { connections: 32, requests, warmup: 1000, bodyBytes: 220 }
  const measure = async ({ inboundUrl: url, secret, line }: RunningService) => {
    const before = cpuSecondsOf(line.pid)
    const { perSecond, refused } = await load({ ...common, url, secret })
    if (refused > 0) throw new Error(`${refused} events were refused.`)
    const microseconds = ((cpuSecondsOf(line.pid) - before) / (common.requests + common.warmup)) * 1e6
    return { perSecond, microseconds }
  }
  const { fits, other } = kinds[kind]
  try {
    for (let index = 0; index < fitting; index++)
      for (const service of [alone, among]) await subscribe(service, fits)
    for (let index = fitting; index < workflows; index++) await subscribe(among, other(index))
    const rounds = []
    for (let round = 0; round < count; round++) {
      // Each goes first in every other round, since one of two loads in a row may find a busier machine.
      const first = round % 2 === 0 ? null : await measure(among)
      const ofAlone = await measure(alone)
      rounds.push({ alone: ofAlone, among: first ?? (await measure(among)) })
    }
    const ratios = rounds.map(({ alone, among }) => among.perSecond / alone.perSecond)
    const [own, all] = [rounds.map(({ alone }) => alone), rounds.map(({ among }) => among)]
    const cost = (some: typeof own) => median(some.map(({ microseconds }) => microseconds)).toFixed(0)
    console.log(
      `${fitting} of ${workflows} by ${kind} to ${fitting} alone`.padEnd(36) +
        `${spread(ratios)}   target: at least 0.7`,
    )
    console.log(`µs of CPU an event                  ${cost(all)}, ${cost(own)} alone`)
    return median(ratios)
  } finally {
    for (const service of [alone, among]) {
      await service.stop()
      removeFolder(service.folder)
    }
  }
}

async function subscribe(service: RunningService, trigger: object): Promise<void> {
  const body = { name: 'Fits', steps: [stop], trigger: { type: 'external.event', eventName, ...trigger } }
  await service.call('POST', '/workflows', body)
}

if (import.meta.main) await run()
