import { z } from 'zod'
import type { Figure } from './figures.ts'
import { listRuns } from './list-runs.ts'
import type { Nodes } from './nodes.ts'
import { notedSteps, type Receiver, waitForRuns } from './noted-steps.ts'
import { readStored } from './stored-events.ts'

const readers = 16

const Details = z.object({
  status: z.string(),
  payload: z.object({ id: z.string() }),
  steps: z.array(z.object({ path: z.string(), status: z.string() })),
})

/**
 * Waits until all runs have ended, and compares the events that were answered, those that are stored, their runs, and
 * the steps that came to the receiver.
 */
export async function checkRuns(
  nodes: Nodes,
  acknowledged: ReadonlySet<string>,
  receiver: Receiver,
): Promise<Figure[]> {
  const unended = await waitForRuns(nodes)
  const stored = await readStored(nodes, nodes.connectionId)
  const ids = new Set(stored.map(({ data }) => data.id))
  const runs = await readRuns(nodes)
  const runsOf = new Map<string, number>()
  for (const { eventId } of runs) runsOf.set(eventId, (runsOf.get(eventId) ?? 0) + 1)
  const recorded = new Set(runs.flatMap(({ id, steps }) => steps.map(step => `${id} ${step}`)))
  const came = receiver.steps()
  const count = (values: Iterable<string>, isCounted: (value: string) => boolean) =>
    [...values].filter(isCounted).length
  const all = [...ids].flatMap(id => notedSteps.map(step => [id, step] as const))
  return [
    { name: 'events answered 200', value: acknowledged.size },
    { name: 'of them lost', value: count(acknowledged, id => !ids.has(id)), must: 0 },
    { name: 'events stored', value: stored.length },
    {
      name: 'of them without exactly one run',
      value: stored.filter(({ eventId }) => runsOf.get(eventId) !== 1).length,
      must: 0,
    },
    { name: 'runs not ended', value: unended, must: 0 },
    {
      name: 'runs that did not succeed',
      value: runs.filter(({ status }) => status !== 'succeeded').length,
      must: 0,
    },
    { name: 'steps that came, but have no record', value: count(came, step => !recorded.has(step)), must: 0 },
    {
      name: 'steps with a record that never came',
      value: all.filter(([id, step]) => receiver.keysOf(id, step) === 0).length,
      must: 0,
    },
    {
      name: 'steps that came under several keys',
      value: all.filter(([id, step]) => receiver.keysOf(id, step) > 1).length,
      must: 0,
    },
    { name: 'steps that were repeated with their key', value: receiver.repeats.length },
  ]
}

/** Returns all runs, the id in the data of the event of each, and its steps that have succeeded. */
async function readRuns({ call }: Nodes) {
  const unread = (await listRuns({ call })).values()
  const read = async () => {
    const some = []
    for (const { runId, eventId } of unread) {
      const { status, payload, steps } = Details.parse(await call('GET', `/runs/${runId}`))
      const succeeded = steps.filter(step => step.status === 'succeeded').map(({ path }) => path)
      some.push({ eventId, status, id: payload.id, steps: succeeded })
    }
    return some
  }
  return (await Promise.all(Array.from({ length: readers }, read))).flat()
}
