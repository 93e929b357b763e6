import type { JsonPath } from '#shared/json/locate.ts'
import { hasPair } from '#shared/model/action-path.ts'
import { maxServers as maxNeeded, serverKey } from '#shared/model/import-server.ts'
import { BaseUrl, trailingSlashes } from '#shared/model/urls.ts'
import { holdsSigningSecret, type Problem, warning } from '../problem.ts'
import type { Operation } from './convert-operation.ts'
import { field, listField, oncePerObject, textField } from './json-value.ts'
import { cut } from './texts.ts'

/** Characters of a server's URL, also with the defaults of its variables. */
const maxServer = 2048
const maxShown = 200
/** Servers of one list that are read. */
const maxServers = 100

/** A server that operations need, or that could be the base URL instead. */
export type FoundServer = {
  /** Its base URL, or what the document says instead of one. */
  readonly url: string
  /** Null if it cannot be a base URL. */
  readonly baseUrl: string | null
  /** Where the text has it. */
  readonly at: JsonPath
  /** Whether it is one of several servers of the whole document. */
  readonly isAlternative: boolean
  /** Whether only paths and operations name it. */
  readonly isNamed: boolean
}

/** Where the operations of a document are called. */
export type Servers = {
  readonly problems: readonly Problem[]
  /** Those that operations need. The base URL of the document is the first, even if no operation needs it. */
  readonly needed: readonly [FoundServer, ...FoundServer[]]
  /** Servers of the whole document that are not needed: each could be the base URL instead. */
  readonly alternatives: readonly FoundServer[]
  /** Returns the index of the server that an operation needs, or why it cannot be called. */
  serverOf(operation: Operation): number | string
}

type Server = {
  /** The same for all spellings of a URL. */
  readonly key: string
  /** Null if it cannot be a base URL. */
  readonly url: string | null
  /** Its URL as the document has it, with the defaults of its variables. */
  readonly given: string
  /** Whether it is one once a part of it is known: its host, or a variable. */
  readonly isOpen: boolean
  /** A warning about it; null for none. */
  readonly note: string | null
}
type Listed = Server & { readonly index: number }
/** Returns the servers of a list by their keys. */
type ReadAll = (servers: readonly unknown[]) => ReadonlyMap<string, Listed>

/**
 * Returns the base URL of a document and the server of each operation. The base URL is the document's first server, or, if
 * no operation uses that, the server that most operations name. Pure.
 *
 * @param firstAt where the text has the first server of the document.
 * @param documentUrl resolves relative servers; null if the address of the document is unknown.
 * @param wanted keys of servers: the first server of the document among them is the base URL.
 */
export function readServers(
  root: unknown,
  operations: readonly Operation[],
  firstAt: JsonPath,
  documentUrl: string | null,
  wanted: ReadonlySet<string> = new Set(),
): Servers {
  const read = oncePerObject(server => readServer(server, documentUrl))
  const readAll: ReadAll = oncePerObject(
    servers =>
      new Map(
        (Array.isArray(servers) ? servers.slice(0, maxServers) : []).map((given: unknown, index) => {
          const server = read(Object(given))
          return [server.key, { ...server, index }] as const
        }),
      ),
  )
  const declared = listField(root, 'servers')
  const documentWide = [...readAll(declared.slice(0, maxServers)).values()]
  const first = declared.length === 0 ? null : read(Object(declared[0]))
  const asked = documentWide.find(one => isUsable(one) && wanted.has(serverKey(one.url ?? '')))
  const most = asked === undefined ? mostNamed(operations, first, readAll) : null
  const base = asked ?? most ?? first
  const baseAt = most?.at ?? placeOf(asked, firstAt)
  const isFirst = base?.key === first?.key
  const { needed, serverOf } = groupOperations(operations, base, readAll)
  const known = new Set([base?.key, ...needed.map(one => one.key)])
  const isOffered = (one: Server) => most === null && isUsable(one)
  const keys = new Set(documentWide.filter(isOffered).map(one => one.key))
  const toFound = ({ at, ...server }: Server & { readonly at: JsonPath }, isNamed: boolean): FoundServer => ({
    url: server.url ?? cut(server.given, maxShown),
    baseUrl: server.url,
    ...{ at, isNamed, isAlternative: keys.has(server.key) && keys.size > 1 },
  })
  return {
    problems: [
      ...baseProblems(base, baseAt, { isFirst, isMost: most !== null, declared: declared.length, first }),
      ...needed.flatMap(({ note, at }) => (note === null ? [] : [warning(at, note)])),
    ],
    needed: [
      base === null
        ? { url: '/', baseUrl: null, at: firstAt, isAlternative: false, isNamed: false }
        : toFound({ ...base, at: baseAt }, most !== null),
      ...needed.map(one => toFound(one, true)),
    ],
    alternatives: documentWide
      .filter(one => isOffered(one) && !known.has(one.key))
      .slice(0, maxNeeded)
      .map(one => toFound({ ...one, at: placeOf(one, firstAt) }, false)),
    serverOf,
  }
}

/** Returns where the text has a server of the whole document. */
function placeOf(server: Listed | undefined, firstAt: JsonPath): JsonPath {
  // The other servers are listed like the first one.
  return server === undefined || server.index === 0 ? firstAt : ['servers', server.index, 'url']
}

/** Returns whether actions can be called at a server. A signing secret in it would be shown. */
function isUsable({ url }: Server): boolean {
  return url !== null && !holdsSigningSecret(url)
}

/** Returns warnings about the base URL: what it is, and why. */
function baseProblems(
  base: Server | null,
  at: JsonPath,
  {
    isFirst,
    isMost,
    declared,
    first,
  }: { isFirst: boolean; isMost: boolean; declared: number; first: Server | null },
): Problem[] {
  if (base === null) return [warning([], 'The document has no server and therefore no base URL.')]
  const problems = base.note === null ? [] : [warning(at, base.note)]
  if (base.url === null) return problems
  if (isMost) problems.push(warning(at, first === null ? fromOperations : insteadOf(declared)))
  else if (isFirst && declared > 1)
    problems.push(warning(at, `The document has ${declared} servers. The first one is used.`))
  return problems
}

const fromOperations =
  'The document has no server. The base URL is the server that most of its operations name.'
const insteadOf = (servers: number) =>
  `No operation uses the ${servers === 1 ? 'server' : 'servers'} of the document. The base URL is the server that most of its operations name.`

/** Returns the server of each operation, and the servers beside the base URL in the order of their first use. */
function groupOperations(operations: readonly Operation[], base: Server | null, readAll: ReadAll) {
  const needed = new Map<string, Server & { readonly at: JsonPath; readonly group: number }>()
  const groups = new Map<Operation, number | string>()
  /** Returns the base URL if it is among an operation's own servers, and else the first that can be called. */
  function groupOf(own: NonNullable<ReturnType<typeof serversOf>>): number | string {
    const servers = readAll(own.servers)
    if (base !== null && servers.has(base.key)) return 0
    const [first] = servers.values()
    const server = [...servers.values()].find(isUsable)
    if (server === undefined) return whyNot(first)
    const known = needed.get(server.key)
    if (known !== undefined) return known.group
    const group = needed.size + 1
    if (group >= maxNeeded)
      return `its operations need more than ${maxNeeded} servers, and its own is not among the first`
    needed.set(server.key, { ...server, group, at: [...own.path, 'servers', server.index, 'url'] })
    return group
  }
  for (const operation of operations) {
    const own = serversOf(operation)
    groups.set(operation, own === null ? 0 : groupOf(own))
  }
  return {
    needed: [...needed.values()],
    serverOf: (operation: Operation) => groups.get(operation) ?? 0,
  }
}

function whyNot(server: Server | undefined): string {
  if (server === undefined) return 'it has no server'
  if (server.url !== null) return 'its server contains a signing secret'
  const note = server.note?.replace(/\.$/, '') ?? 'it cannot be a base URL'
  return note.charAt(0).toLowerCase() + note.slice(1)
}

/** Returns the servers of an operation, or else of its path; null if it has those of the document. */
function serversOf({ operation, item }: Operation): { servers: readonly unknown[]; path: JsonPath } | null {
  for (const { value, path } of [operation, item]) {
    const servers = listField(value, 'servers')
    if (servers.length > 0) return { servers, path }
  }
  return null
}

/** Returns the server that most operations name; null if one of them uses those of the document, or none can be used. */
function mostNamed(operations: readonly Operation[], first: Server | null, readAll: ReadAll) {
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
  const filled = template.length > maxServer ? null : withDefaults(template, server)
  const given = filled ?? template
  const none = (note: string, key = template, isOpen = false): Server => ({
    ...{ key, url: null, given, isOpen, note },
  })
  if (filled === null) return none(`The server ${cut(template, maxShown)} is too long for a base URL.`)
  if (hasPair(filled, '{', '}'))
    return none(
      `The server ${cut(template, maxShown)} has a variable without a default, so it cannot be a base URL.`,
      filled.replace(trailingSlashes, ''),
      true,
    )
  const isRelative = !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(filled)
  const key = serverKey(filled, documentUrl ?? unknownAddress)
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
  return { key, url: parsed.data, given, isOpen: false, note }
}

const unknownAddress = 'https://document.invalid/'

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
