import { isIP } from 'node:net'

/** Four numbers of 8 bits, or eight of 16. */
export type IpAddress = readonly number[]

/** Reads an address as systems and URLs write it, with or without a zone (`fe80::1%eth0`); null for none. */
export function parseIp(text: string): IpAddress | null {
  const address = text.split('%')[0] ?? ''
  const family = isIP(address)
  if (family === 4) return address.split('.').map(Number)
  return family === 6 ? parseIpv6(address) : null
}

function parseIpv6(address: string): IpAddress {
  const [head = '', tail] = address.split('::')
  const before = groups(head)
  if (tail === undefined) return before
  const after = groups(tail)
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(group => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/** Whether an address begins with these bits, `groupBits` (8 or 16) of them in each number. */
export function hasPrefix(address: IpAddress, prefix: IpAddress, bits: number): boolean {
  const groupBits = address.length === 4 ? 8 : 16
  if (address.length !== prefix.length) return false
  for (let index = 0, left = bits; left > 0; index++, left -= groupBits) {
    const unused = Math.max(0, groupBits - left)
    if ((address[index] ?? 0) >> unused !== (prefix[index] ?? 0) >> unused) return false
  }
  return true
}

/** The IPv4 addresses that an IPv6 address stands for, as a translator or tunnel on the way reads it. */
export function embeddedIpv4(address: IpAddress): IpAddress[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address
  const last = ipv4(g, h)
  const found: IpAddress[] = []
  const upTo = (count: number) => address.slice(0, count).every(group => group === 0)
  // IPv4-compatible (::a.b.c.d), -mapped (::ffff:a.b.c.d) and -translated (::ffff:0:a.b.c.d).
  if (upTo(6) && !(g === 0 && h <= 1)) found.push(last)
  if (upTo(5) && f === 0xffff) found.push(last)
  if (upTo(4) && e === 0xffff && f === 0) found.push(last)
  // NAT64, the well-known prefix, and the local one with its address last or right behind (RFC 6052, RFC 8215).
  if (a === 0x64 && b === 0xff9b && c === 0) found.push(last)
  if (a === 0x64 && b === 0xff9b && c === 1)
    found.push(...[last, ipv4(d, ((e & 255) << 8) | (f >> 8))].filter(([first]) => first !== 0))
  // 6to4, Teredo (server, and client with its bits flipped) and ISATAP.
  if (a === 0x2002) found.push(ipv4(b, c))
  if (a === 0x2001 && b === 0) found.push(ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff))
  if ((e === 0 || e === 0x200) && f === 0x5efe) found.push(last)
  return found
}

function ipv4(high: number, low: number): IpAddress {
  return [(high >> 8) & 255, high & 255, (low >> 8) & 255, low & 255]
}
