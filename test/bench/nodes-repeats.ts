/**
 * The same signed request many times at once over the nodes, to a connection that ignores repeats: each is answered 200,
 * and all of them are one event with one run.
 */
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { listRuns } from './support/list-runs.ts'
import { waitForRuns } from './support/noted-steps.ts'
import { onNodes } from './support/on-nodes.ts'
import { createSender, signedEvent } from './support/sender.ts'
import { readStored } from './support/stored-events.ts'

/** @param repeats how often each request is sent. */
export async function run({ rounds = 200, nodes: count = 3, repeats = 50 } = {}): Promise<readonly Figure[]> {
  return onNodes(count, async nodes => {
    const { connectionId, secret } = nodes
    await nodes.call('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
    await nodes.call('POST', '/workflows', {
      ...{ name: 'Queued', concurrency: 100, trigger: { type: 'external.event' } },
      steps: [{ key: 'wait', type: 'wait', seconds: 1 }],
    })
    const sender = createSender()
    const statuses: (number | null)[] = []
    for (let round = 0; round < rounds; round++) {
      const event = signedEvent(secret, 'nodes.repeats', { id: String(round) })
      const sent = Array.from({ length: repeats }, (_, index) =>
        sender.post(nodes.at(index % count).inboundUrl, event),
      )
      statuses.push(...(await Promise.all(sent)))
    }
    await sender.close()
    const unended = await waitForRuns(nodes)
    const stored = await readStored(nodes, connectionId)
    const runs = await listRuns(nodes)
    const figures: Figure[] = [
      {
        name: 'answers other than 200',
        value: statuses.filter(status => status !== 200).length,
        must: 0,
      },
      { name: 'events stored', value: stored.length, must: rounds },
      { name: 'of them different', value: new Set(stored.map(({ data }) => data.id)).size, must: rounds },
      { name: 'runs', value: runs.length, must: rounds },
      { name: 'of different events', value: new Set(runs.map(({ eventId }) => eventId)).size, must: rounds },
      { name: 'runs not ended', value: unended, must: 0 },
    ]
    printFigures(`${rounds} × the same request ${repeats} times at once to ${count} nodes`, figures)
    return figures
  })
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes', 'repeats'))
