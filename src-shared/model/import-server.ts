import { z } from 'zod'
import { ConnectionAuthData } from './connection-auth.ts'
import { ConnectionId } from './identifiers.ts'
import { trailingSlashes } from './urls.ts'

// Node and browsers both have it, but their types are not available here.
declare const URL: {
  parse(
    url: string,
    base?: string,
  ): {
    readonly protocol: string
    readonly origin: string
    readonly pathname: string
    readonly search: string
  } | null
}

/** The servers that the operations of one document may need, and the alternatives that a preview offers. */
export const maxServers = 20

const maxTargets = 100

/** The target of the operations of a server: `true` is a new connection, `false` leaves them out. */
export const ServerTarget = z.union([z.boolean(), z.string()])
export type ServerTarget = z.infer<typeof ServerTarget>

/** The servers that an import takes, by their URLs. */
export const ServerTargets = z
  .record(z.string(), ServerTarget)
  .refine(targets => Object.keys(targets).length <= maxTargets, `Name at most ${maxTargets} servers.`)
export type ServerTargets = Readonly<z.infer<typeof ServerTargets>>

/** A server of a document, as a preview shows it. */
export const ImportServer = z.object({
  url: z
    .string()
    .describe(
      'Its base URL. If it has none: its URL as in the document, or `/` if the document has no server.',
    ),
  operations: z.int(),
  chosen: z.boolean(),
  alternative: z
    .boolean()
    .describe('Whether it is one of the servers of the whole document, of which one is taken.'),
  connectionId: ConnectionId.nullable().describe(
    'The connection that takes its operations; null for a new one.',
  ),
  name: z.string().describe('The name of that connection.'),
  auth: ConnectionAuthData.nullable(),
})
export type ImportServer = z.infer<typeof ImportServer>

/** Returns a URL as all its spellings are: with a host in lower case, without a default port and slashes at its end. */
export function serverKey(url: string, documentUrl?: string): string {
  const parsed = URL.parse(url, documentUrl)
  return parsed === null || !/^https?:$/.test(parsed.protocol)
    ? url.replace(trailingSlashes, '')
    : parsed.origin + parsed.pathname.replace(trailingSlashes, '') + parsed.search
}

/** Returns the keys of the servers that an import asks for. */
export function wantedServers(asked: ServerTargets): ReadonlySet<string> {
  return new Set(Object.entries(asked).flatMap(([url, target]) => (target === false ? [] : [serverKey(url)])))
}

/** A server of a document: one that its operations need, or an alternative to the first of these. */
export type OfferedServer = {
  readonly url: string
  /** Whether it is only an alternative to the base URL. */
  readonly isOffered: boolean
  /** Whether an import takes it by default. */
  readonly isNeeded: boolean
}

/**
 * Returns what becomes of the operations of each server. Those that operations need are taken unless the request says
 * otherwise. Pure.
 *
 * @param servers the base URL of the document first.
 * @param connectionId the connection for the operations at the base URL; null for a new one.
 */
export function chosenServers(
  servers: readonly OfferedServer[],
  asked: ServerTargets,
  connectionId: string | null,
): { readonly targets: ServerTarget[]; readonly issues: { path: string; message: string }[] } {
  const byKey = new Map(Object.entries(asked).map(([url, target]) => [serverKey(url), { url, target }]))
  const issues: { path: string; message: string }[] = []
  const users = new Map<string, string>()
  const targets = servers.map(({ url, isOffered, isNeeded }, index): ServerTarget => {
    const given = byKey.get(serverKey(url))
    byKey.delete(serverKey(url))
    const into = index === 0 ? connectionId : null
    const target = given?.target ?? into ?? isNeeded
    const refuse = (message: string) => issues.push({ path: `servers.${given?.url ?? url}`, message })
    if (isOffered && target !== false)
      refuse(`It is an alternative to ${servers[0]?.url}. Take only one of them.`)
    if (into !== null && target === false)
      refuse('Its operations go to the connection of "connectionId". Leave that out, or take this server.')
    if (target === true && into !== null) return into
    if (typeof target !== 'string') return target
    const user = users.get(target)
    if (user !== undefined) refuse(`Its connection already takes ${user}. A connection has one base URL.`)
    users.set(target, url)
    return target
  })
  const urls = servers.map(({ url }) => url).join(', ')
  for (const { url } of [...byKey.values()].slice(0, maxServers))
    issues.push({
      path: `servers.${url}`,
      message: `The document has no such server. ${urls === '' ? 'It has none to choose.' : `It has ${urls}.`}`,
    })
  if (issues.length === 0 && servers.length > 0 && targets.every(target => target === false))
    issues.push({ path: 'servers', message: 'Take at least one server.' })
  return { targets, issues }
}
