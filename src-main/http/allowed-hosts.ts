const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Which names the dashboard answers to: a page of another site that makes its own name resolve to this
 * machine (DNS rebinding) sends that name, and is refused.
 *
 * @param listenHost the address it listens on; a specific one is a name of its own.
 * @param extra names given with --allowed-host; a port is dropped, since the names of all ports are allowed.
 */
export function allowedHostNames(listenHost: string, extra: readonly string[]): ReadonlySet<string> {
  const own = listenHost === '0.0.0.0' || listenHost === '::' ? [] : [listenHost]
  const names = [...loopbackNames, ...own, ...extra.map(withoutPort)]
  return new Set(names.map(name => bracketed(name.toLowerCase())))
}

function withoutPort(name: string): string {
  return name.replace(/^([^:]+|\[.+\]):\d+$/, '$1')
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/** @param host the Host header. Absent, or with anything but a name and a port, it is not allowed. */
export function isAllowedHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  return name !== undefined && allowed.has(name.toLowerCase())
}

/**
 * A request without Origin does not come from a page. One with it must come from a page that this same
 * server served: its host and port must be those the request itself was sent to.
 *
 * @param host the Host header, already allowed.
 */
export function isAllowedOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return true
  const [, originHost] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? []
  return originHost?.toLowerCase() === host.toLowerCase()
}
