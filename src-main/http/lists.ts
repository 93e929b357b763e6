import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createRouterClient } from '@orpc/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Router } from '#main/rpc/router.ts'
import type { Service } from '#main/service.ts'
import { restPrefix } from '#shared/contract/base.ts'
import { hourMs } from '#shared/durations.ts'

/** The number of items that are read and written at once, because that blocks the event loop. */
const writtenAtOnce = 50

type Filters = { workspaceId?: string; connectionId?: string; text?: string }
type PageQuery = Filters & { readonly limit: number; readonly after: string | undefined }
type Page = {
  readonly items: readonly object[]
  /** The `after` of the next page. */
  readonly last: string | undefined
  /** The name of the field with the items, and the other fields of the answer; null if it consists of the items. */
  readonly around: { readonly field: string; readonly others: object } | null
}
/** How often the sources of an answer have changed. */
type Counts = ReturnType<Service['changeCounts']>
type List = {
  readonly filters: readonly (keyof Filters)[]
  /** Returns the numbers of which one changes when an answer may have changed. @param now milliseconds since 1970. */
  versionOf(counts: Counts, now: number): readonly number[]
  read(query: PageQuery): Promise<Page>
}

/** Returns the lists that REST answers in pages, or whole, by path. */
function listsOf(router: Router): Readonly<Record<string, List>> {
  const { connections, tools, assistant, statistics } = createRouterClient(router, { context: {} })
  return {
    '/connections': {
      filters: ['workspaceId', 'text'],
      versionOf: ({ configuration }) => [configuration],
      async read(query) {
        const items = await connections.list(query)
        return { items, last: items.at(-1)?.connectionId, around: null }
      },
    },
    '/tools': {
      filters: ['workspaceId', 'connectionId'],
      versionOf: ({ configuration }) => [configuration],
      async read(query) {
        const items = await tools.list(query)
        return { items, last: items.at(-1)?.name, around: null }
      },
    },
    '/assistant/tools': {
      filters: ['workspaceId', 'connectionId'],
      // The size of its last response can be a warning about a tool.
      versionOf: ({ configuration, statistics, assistant }) => [configuration, statistics, assistant],
      async read(query) {
        const { tools: items, ...others } = await assistant.tools(query)
        return { items, last: items.at(-1)?.name, around: { field: 'tools', others } }
      },
    },
    '/statistics': {
      filters: ['workspaceId'],
      // The hours shift with the clock.
      versionOf: ({ configuration, statistics }, now) => [
        configuration,
        statistics,
        Math.floor(now / hourMs),
      ],
      async read(query) {
        const { connections: items, ...others } = await statistics.list(query)
        return { items, last: items.at(-1)?.connectionId, around: { field: 'connections', others } }
      },
    },
  }
}

/** The sources from which the versions of lists derive. */
export type ListSources = Pick<Service, 'changeCounts'> & {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A text that no other start of the service has. */
  readonly start: string
}

/**
 * Returns a function that names the version of a list in the ETag of its answer, and sends the answer where that needs no
 * procedure: 304 to a client that has this version, and a list without `limit` page by page, so that other requests get
 * their turn in between. A version is made of counters, so it costs nothing, and may be another one for an answer that is
 * the same.
 *
 * @returns null for another request, for a page, and for what the procedure itself has to refuse. @throws its errors.
 */
export function createListAnswers(router: Router, { changeCounts, clock, start }: ListSources) {
  const lists = listsOf(router)

  return async (
    { method, url, headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | null> => {
    const [path = '', query = ''] = url.slice(restPrefix.length).split('?')
    const list = method === 'GET' && Object.hasOwn(lists, path) ? lists[path] : undefined
    if (list === undefined) return null
    const version = `W/"${[start, ...list.versionOf(changeCounts(), clock())].join('.')}"`
    reply.header('etag', version)
    const known = headers['if-none-match'] ?? ''
    if (known.split(',').some(one => one.trim() === version)) return reply.code(304).send()

    const filters = filtersIn(new URLSearchParams(query), list.filters)
    if (filters === undefined) return null
    const read = (after?: string) => list.read({ ...filters, limit: writtenAtOnce, after })
    const first = await read()
    reply.header('content-type', 'application/json')
    const isWhole = first.items.length < writtenAtOnce
    return reply.send(isWhole ? JSON.stringify(answerOf(first)) : Readable.from(textOf(first, read)))
  }
}

/** Returns undefined if there is any other field, or one twice. */
function filtersIn(given: URLSearchParams, known: readonly (keyof Filters)[]): Filters | undefined {
  const filters: Filters = {}
  for (const name of known) {
    const value = given.get(name)
    if (value !== null) filters[name] = value
  }
  return Object.keys(filters).length === [...given].length ? filters : undefined
}

const answerOf = ({ items, around }: Page) =>
  around === null ? items : { [around.field]: items, ...around.others }

/** Generates the JSON of all pages. */
async function* textOf(first: Page, read: (after?: string) => Promise<Page>): AsyncGenerator<string> {
  let page = first
  yield page.around === null ? '[' : `{${JSON.stringify(page.around.field)}:[`
  while (page.items.length > 0) {
    yield (page === first ? '' : ',') + JSON.stringify(page.items).slice(1, -1)
    if (page.items.length < writtenAtOnce) break
    await setImmediate()
    page = await read(page.last)
  }
  const others = page.around === null ? '' : JSON.stringify(page.around.others).slice(1, -1)
  yield page.around === null ? ']' : `]${others === '' ? '' : `,${others}`}}`
}
