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
type List = { readonly filters: readonly (keyof Filters)[]; read(query: PageQuery): Promise<Page> }

/** Returns the lists that REST answers in pages, or whole, by path. */
function listsOf(router: Router): Readonly<Record<string, List>> {
  const { connections, tools, assistant, statistics } = createRouterClient(router, { context: {} })
  return {
    '/connections': {
      filters: ['workspaceId', 'text'],
      async read({ workspaceId, text, limit, after }) {
        const items = await connections.list({ workspaceId, text, limit, after })
        return { items, last: items.at(-1)?.connectionId, around: null }
      },
    },
    '/tools': {
      filters: ['workspaceId', 'connectionId'],
      async read({ workspaceId, connectionId, limit, after }) {
        const items = await tools.list({ workspaceId, connectionId, limit, after })
        return { items, last: items.at(-1)?.name, around: null }
      },
    },
    '/assistant/tools': {
      filters: ['workspaceId'],
      async read({ workspaceId, limit, after }) {
        const { tools: items, ...others } = await assistant.tools({ workspaceId, limit, after })
        return { items, last: items.at(-1)?.name, around: { field: 'tools', others } }
      },
    },
    '/statistics': {
      filters: ['workspaceId'],
      async read({ workspaceId, limit, after }) {
        const { connections: items, ...others } = await statistics.list({ workspaceId, limit, after })
        return { items, last: items.at(-1)?.connectionId, around: { field: 'connections', others } }
      },
    },
  }
}

/** Returns a function that sends a list without `limit`: page by page, so that other requests get their turn in between. */
export function createWholeLists(router: Router) {
  const lists = listsOf(router)

  /** @returns null for another request, and for one that the procedure itself has to refuse. @throws its errors. */
  return async ({ method, url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | null> => {
    const [path = '', query = ''] = url.slice(restPrefix.length).split('?')
    const list = method === 'GET' && Object.hasOwn(lists, path) ? lists[path] : undefined
    const filters = list && filtersIn(new URLSearchParams(query), list.filters)
    if (list === undefined || filters === undefined) return null
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

/** What the answers of lists derive from. */
export type ListSources = Pick<Service, 'changeCounts'> & {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A text that no other start of the service has. */
  readonly start: string
}

/**
 * Returns a function that names the version of a list in its ETag, and says whether the client has that one. A version is
 * made of counters, so it costs nothing, and may be another one for an answer that is the same.
 */
export function createListVersions({ changeCounts, clock, start }: ListSources) {
  const sources: Readonly<Record<string, (counts: ReturnType<ListSources['changeCounts']>) => number[]>> = {
    '/connections': ({ configuration }) => [configuration],
    '/tools': ({ configuration }) => [configuration],
    // The size of its last response can be a warning about a tool.
    '/assistant/tools': ({ configuration, statistics, assistant }) => [configuration, statistics, assistant],
    // The hours shift with the clock.
    '/statistics': ({ configuration, statistics }) => [
      configuration,
      statistics,
      Math.floor(clock() / hourMs),
    ],
  }

  return ({ method, url, headers }: FastifyRequest, reply: FastifyReply): boolean => {
    const [path = ''] = url.slice(restPrefix.length).split('?')
    const of = method === 'GET' && Object.hasOwn(sources, path) ? sources[path] : undefined
    if (of === undefined) return false
    const version = `W/"${[start, ...of(changeCounts())].join('.')}"`
    reply.header('etag', version)
    const known = headers['if-none-match'] ?? ''
    return known.split(',').some(one => one.trim() === version)
  }
}
