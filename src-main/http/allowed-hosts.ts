const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the host names that the dashboard answers to. A page of another site can make its own name resolve to this
 * machine (DNS rebinding), but it sends that name and is refused.
 *
 * @param listenHost the listening address; a specific one is also a name.
 * @param extra names from --allowed-host. Their ports are dropped, because a name is allowed with every port.
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

/** Returns whether the Host header is an allowed name, with or without a port. */
export function isAllowedHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  return name !== undefined && allowed.has(name.toLowerCase())
}

/**
 * Returns whether the Origin header is allowed: either missing, because the request is not from a page, or with the host
 * and port of the request, because the page is from this server.
 *
 * @param host the Host header, already allowed.
 */
export function isAllowedOrigin(origin: string | undefined, host: string): boolean {
  if (origin === undefined) return true
  const [, originHost] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? []
  return originHost?.toLowerCase() === host.toLowerCase()
}
