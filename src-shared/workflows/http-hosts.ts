import { z } from 'zod'

// Node and browsers both have it, but their types are not available here.
declare const URL: {
  parse(url: string): {
    readonly protocol: string
    readonly host: string
    readonly hostname: string
    readonly port: string
    readonly username: string
    readonly password: string
  } | null
}

/** Maximum number of hosts of a step. */
const maxHosts = 20

/** A host as `hosts` writes it, in its parsed form. */
type AllowedHost = {
  /** As URLs have it: after IDNA, in lower case. */
  readonly name: string
  /** Null for any port. */
  readonly port: string | null
  /** Whether it is the hosts below this name. */
  readonly isBelow: boolean
}

/** Returns a host of a list, parsed; null if it is none. */
function parsedHost(text: string): AllowedHost | null {
  const [, star, name = '', port = null] =
    /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@*[\]\\{}%]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const hostname = name === '' ? undefined : URL.parse(`http://${name}/`)?.hostname
  if (hostname === undefined) return null
  // `*.com` would be everybody's, and an address has nothing below it.
  if (star !== undefined && !/^[^.[\]]+(?:\.[^.]+)*\.[a-z][^.]*$/i.test(hostname)) return null
  if (port !== null && Number(port) > 65_535) return null
  return { name: hostname, port: port && String(Number(port)), isBelow: star !== undefined }
}

const known = new Map<string, AllowedHost | null>()
const maxKnown = 1000

function hostOf(text: string): AllowedHost | null {
  const before = known.get(text)
  if (before !== undefined) return before
  const host = parsedHost(text)
  if (known.size >= maxKnown) known.clear()
  known.set(text, host)
  return host
}

/** The hosts that a URL with a host from data may have. */
export const AllowedHosts = z
  .array(
    z
      .string()
      .trim()
      .max(300)
      .refine(
        text => hostOf(text) !== null,
        'Write a host such as api.example.com, api.example.com:8443, *.example.com or [::1].',
      ),
  )
  .min(1, 'Name at least one host, or remove the list.')
  .max(maxHosts)
  .describe('The hosts that the URL may have. With it, the host may have variables.')

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Returns whether a list allows the host of a URL, which may have no user name. */
export function isAllowed(url: string, hosts: readonly string[]): boolean {
  // A parser drops some of these, and takes a backslash for a slash.
  const parsed = /[\s\\\p{Cc}]/u.test(url) ? null : URL.parse(url)
  if (parsed === null) return false
  const { protocol, hostname, port, username, password } = parsed
  const usual = defaultPorts[protocol]
  if (usual === undefined || username !== '' || password !== '') return false
  return hosts.some(text => {
    const allowed = hostOf(text)
    if (allowed === null || (allowed.port !== null && allowed.port !== (port || usual))) return false
    return allowed.isBelow ? hostname.endsWith(`.${allowed.name}`) : hostname === allowed.name
  })
}

/** Returns the host and the port of a URL; null for a text that is none. */
export function hostOfUrl(url: string): string | null {
  return URL.parse(url)?.host ?? null
}
