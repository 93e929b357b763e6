import { z } from 'zod'
import type { Read, Walk } from './history.ts'
import type { LoadParts } from './load.ts'

/** Milliseconds between two reads, and between two lists. */
const pauses = { reads: 400, walks: 2000 }
const pageSizes = [20, 50, 200]
/** Attempts to read a page. */
const attempts = 20
/** So many of the newest records that are known are read as often as all of them. */
const newest = 100

const Events = z.object({
  events: z.array(z.object({ eventId: z.string() })),
  nextBefore: z.string().nullable(),
})
const Runs = z.object({ runs: z.array(z.object({ runId: z.string() })), nextBefore: z.string().nullable() })
const Event = z.object({ eventId: z.string() })
const Run = z.object({ runId: z.string(), status: z.string() })

type Page = { readonly ids: readonly string[]; readonly next: string | null }

/** Reads records by their ids, and lists of them page by page, on any node. */
export function readRecords(parts: LoadParts): readonly Promise<void>[] {
  const { client, records, nodes, random, opened, repeat } = parts
  const known = { events: new Set<string>(), runs: new Set<string>() }

  const choose = (ids: ReadonlySet<string>) => random.pick([[...ids], [...ids].slice(-newest)])

  async function readOne(of: Walk['of'], node: number): Promise<void> {
    if (of === 'runs')
      for (const { key } of records.calls.slice(-newest)) known.runs.add(key.split('.')[0] ?? '')
    const ids = choose(known[of])
    if (ids.length === 0) return
    const recordId = random.pick(ids)
    const path = of === 'runs' ? `/runs/${recordId}` : `${eventsPath}/${recordId}`
    const { body, ...rest } = await client.rest(node, 'GET', path)
    const found: Partial<Read> =
      body === null
        ? {}
        : of === 'runs'
          ? (({ runId, status }) => ({ found: runId, state: status }))(Run.parse(body))
          : { found: Event.parse(body).eventId }
    records.reads.push({ node, recordId, ...found, ...rest })
  }

  const eventsPath = `/connections/${opened.plain.connectionId}/events`
  const lists = {
    events: {
      stream: 'plain',
      path: `${eventsPath}?`,
      parse(body: unknown): Page {
        const { events, nextBefore } = Events.parse(body)
        return { ids: events.map(({ eventId }) => eventId), next: nextBefore }
      },
    },
    runs: {
      stream: 'actions',
      path: `/runs?workflowId=${opened.actions.workflowId}&`,
      parse(body: unknown): Page {
        const { runs, nextBefore } = Runs.parse(body)
        return { ids: runs.map(({ runId }) => runId), next: nextBefore }
      },
    },
  }

  /** Reads a page on any node that answers. */
  async function readPage(path: string, read: (node: number) => void): Promise<unknown> {
    for (let left = attempts; left > 0; left--) {
      const node = random.pick(nodes)
      const { body } = await client.rest(node, 'GET', path)
      if (body === null) continue
      read(node)
      return body
    }
    return null
  }

  async function walk(of: Walk['of']): Promise<void> {
    const { stream, path, parse } = lists[of]
    const from = performance.now()
    const [ids, readOn]: [string[], number[]] = [[], []]
    let isWhole = false
    for (let before = ''; !isWhole; ) {
      const url = `${path}limit=${random.pick(pageSizes)}${before}`
      const body = await readPage(url, node => readOn.push(node))
      if (body === null) break
      const page = parse(body)
      ids.push(...page.ids)
      isWhole = page.next === null
      before = `&before=${page.next}`
    }
    for (const id of ids.toReversed()) known[of].add(id)
    records.walks.push({ ...{ from, to: performance.now(), node: readOn.join(), of, stream, ids, isWhole } })
  }

  return [
    ...(['events', 'runs'] as const).flatMap(of => [
      ...nodes.map(node => repeat(pauses.reads, () => readOne(of, node))),
      repeat(pauses.walks, () => walk(of)),
    ]),
  ]
}
