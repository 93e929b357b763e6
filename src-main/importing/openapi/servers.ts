import type { JsonPath } from '#shared/json/locate.ts'
import { hasPair } from '#shared/model/action-path.ts'
import { BaseUrl, trailingSlashes } from '#shared/model/urls.ts'
import { type Problem, warning } from '../problem.ts'
import type { Operation } from './convert-operation.ts'
import { field, listField, oncePerObject, textField } from './json-value.ts'
import { cut } from './texts.ts'

/** Characters of a server's URL, also with the defaults of its variables. */
const maxServer = 2048
const maxShown = 200
/** Servers of one list that are read. */
const maxServers = 100

/** Where the operations of a document are called. */
export type Servers = {
  readonly base: { readonly url: string | null; readonly problems: readonly Problem[] }
  /** Where the text has the base URL. */
  readonly baseUrlAt: JsonPath
  /** Returns whether an operation has servers of its own, and none of them is the base URL. */
  isElsewhere(operation: Operation): boolean
}

type Server = {
  /** The same for all spellings of a URL. */
  readonly key: string
  /** Null if it cannot be a base URL. */
  readonly url: string | null
  /** Whether it is one once a part of it is known: its host, or a variable. */
  readonly isOpen: boolean
  /** A warning about it; null for none. */
  readonly note: string | null
}

/**
 * Returns the base URL of a document and which operations are elsewhere. The base URL is the document's first server, or,
 * if no operation uses that, the server that most operations name. Pure.
 *
 * @param firstAt where the text has the first server of the document.
 * @param documentUrl resolves relative servers; null if the address of the document is unknown.
 */
export function readServers(
  root: unknown,
  operations: readonly Operation[],
  firstAt: JsonPath,
  documentUrl: string | null,
): Servers {
  const read = oncePerObject(server => readServer(server, documentUrl))
  const readAll = oncePerObject(
    servers =>
      new Map(
        (Array.isArray(servers) ? servers.slice(0, maxServers) : []).map((given: unknown, index) => {
          const server = read(Object(given))
          return [server.key, { ...server, index }] as const
        }),
      ),
  )
  const declared = listField(root, 'servers')
  const first = declared.length === 0 ? null : read(Object(declared[0]))
  const most = mostNamed(operations, first, readAll)
  const base = most ?? first
  const problems: Problem[] = []
  const baseUrlAt = most?.at ?? firstAt
  if (base === null) problems.push(warning([], 'The document has no server and therefore no base URL.'))
  else {
    if (base.note !== null) problems.push(warning(baseUrlAt, base.note))
    if (most !== null && most.url !== null)
      problems.push(warning(baseUrlAt, first === null ? fromOperations : insteadOf(declared.length)))
    else if (base.url !== null && declared.length > 1)
      problems.push(warning(firstAt, `The document has ${declared.length} servers. The first one is used.`))
  }
  return {
    base: { url: base?.url ?? null, problems },
    baseUrlAt,
    isElsewhere(operation) {
      const own = serversOf(operation)
      return own !== null && (base === null || !readAll(own.servers).has(base.key))
    },
  }
}

const fromOperations =
  'The document has no server. The base URL is the server that most of its operations name.'
const insteadOf = (servers: number) =>
  `No operation uses the ${servers === 1 ? 'server' : 'servers'} of the document. The base URL is the server that most of its operations name.`

/** Returns the servers of an operation, or else of its path; null if it has those of the document. */
function serversOf({ operation, item }: Operation): { servers: readonly unknown[]; path: JsonPath } | null {
  for (const { value, path } of [operation, item]) {
    const servers = listField(value, 'servers')
    if (servers.length > 0) return { servers, path }
  }
  return null
}

/** Returns the server that most operations name; null if one of them uses those of the document, or none can be used. */
function mostNamed(
  operations: readonly Operation[],
  first: Server | null,
  readAll: (servers: readonly unknown[]) => ReadonlyMap<string, Server & { readonly index: number }>,
) {
  const named = new Map<string, Server & { readonly at: JsonPath; count: number }>()
  for (const operation of operations) {
    const own = serversOf(operation)
    if (own === null) return null
    for (const { index, ...server } of readAll(own.servers).values()) {
      if (server.key === first?.key) return null
      if (server.url === null && (first !== null || !server.isOpen)) continue
      const known = named.get(server.key) ?? {
        ...server,
        at: [...own.path, 'servers', index, 'url'],
        count: 0,
      }
      known.count++
      named.set(server.key, known)
    }
  }
  const rank = ({ url, count }: { url: string | null; count: number }) =>
    url === null ? count : count + operations.length
  const [most = null] = [...named.values()].sort((one, other) => rank(other) - rank(one))
  return most
}

function readServer(server: object, documentUrl: string | null): Server {
  const template = textField(server, 'url') ?? ''
  const none = (note: string, key = template, isOpen = false): Server => ({ key, url: null, isOpen, note })
  const filled = template.length > maxServer ? null : withDefaults(template, server)
  if (filled === null) return none(`The server ${cut(template, maxShown)} is too long for a base URL.`)
  if (hasPair(filled, '{', '}'))
    return none(
      `The server ${cut(template, maxShown)} has a variable without a default, so it cannot be a base URL.`,
      filled.replace(trailingSlashes, ''),
      true,
    )
  const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(filled)
  const key = keyOf(filled, documentUrl ?? unknownAddress)
  if (isRelative && documentUrl === null)
    return none(`The server ${cut(filled, maxShown)} is relative, so it cannot be a base URL.`, key, true)
  // An address without a scheme has that of the document. The safer one is assumed.
  const absolute = isRelative || filled.startsWith('//') ? key : filled
  const parsed = BaseUrl.safeParse(absolute)
  if (!parsed.success)
    return none(
      `The server ${cut(filled, maxShown)} cannot be a base URL: ${parsed.error.issues[0]?.message}`,
      key,
    )
  const note = isRelative
    ? `The server ${cut(filled, maxShown)} is relative to the address of the document, so the base URL is ${cut(parsed.data, maxShown)}.`
    : null
  return { key, url: parsed.data, isOpen: false, note }
}

const unknownAddress = 'https://document.invalid/'

/** Returns a URL as all its spellings are: with a host in lower case, without a default port and slashes at its end. */
export function keyOf(url: string, documentUrl?: string): string {
  const parsed = URL.parse(url, documentUrl)
  return parsed === null || !/^https?:$/.test(parsed.protocol)
    ? url.replace(trailingSlashes, '')
    : parsed.origin + parsed.pathname.replace(trailingSlashes, '') + parsed.search
}

/** Returns the URL of a server with the defaults of its variables; null if it is too long. */
function withDefaults(template: string, server: object): string | null {
  let length = template.length
  const variables = field(server, 'variables')
  const filled = template.replace(/\{([^{}]*)\}/g, (text, name: string) => {
    const value = field(field(variables, name), 'default')
    if ((typeof value !== 'string' && typeof value !== 'number') || length > maxServer) return text
    length += String(value).length - text.length
    return length > maxServer ? text : String(value)
  })
  return length > maxServer ? null : filled
}
