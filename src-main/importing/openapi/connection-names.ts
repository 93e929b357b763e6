import type { FoundServer } from './servers.ts'
import { cut } from './texts.ts'

const maxName = 120
/** Characters of what is said of a server. */
const maxServer = 80

/**
 * Returns the names of the connections of an API: its title, and for other servers what tells them apart: the host, or
 * also the path, or the whole URL. Pure.
 *
 * @param servers the base URL first.
 */
export function connectionNames(title: string, servers: readonly Pick<FoundServer, 'url'>[]): string[] {
  const parts = servers.map(({ url }) => {
    const parsed = URL.parse(url)
    return parsed === null ? [url] : [parsed.host, parsed.host + parsed.pathname, url]
  })
  return servers.map((_server, index) => {
    if (index === 0) return cut(title, maxName)
    const own = parts[index] ?? []
    const isOwn = (part: string, level: number) =>
      parts.every((others, at) => at === index || others[Math.min(level, others.length - 1)] !== part)
    const said = cut(own.find(isOwn) ?? own.at(-1) ?? '', maxServer)
    return `${cut(title, maxName - said.length - 3)} (${said})`
  })
}
