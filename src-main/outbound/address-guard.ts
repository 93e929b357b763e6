import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6
type Range = { readonly prefix: IpAddress; readonly bits: number; readonly what: string }

function range(text: string, bits: number, what: string): Range {
  return { prefix: ipaddr.parse(text), bits, what }
}

const metadata = 'a cloud metadata address'
const nowhere = 'not a valid host address'

/**
 * Addresses that are never called: those where clouds give credentials to every local client, and those that do not
 * belong to a single host. Loopback and private networks are allowed.
 */
const blocked: readonly Range[] = [
  range('169.254.0.0', 16, 'link-local, where clouds keep their metadata'),
  range('fe80::', 10, 'link-local'),
  // Amazon: instance metadata is ::254, container credentials are ::23, time and DNS are next to them.
  range('fd00:ec2::', 32, metadata),
  // Google, Linode, Scaleway.
  range('fd20:ce::254', 128, metadata),
  range('fd00:a9fe:a9fe::', 48, metadata),
  range('fd00:42::42', 128, metadata),
  // Alibaba, Oracle Cloud Classic, and the Azure agent, which serves certificates and settings.
  range('100.100.100.200', 32, metadata),
  range('192.0.0.192', 32, metadata),
  range('168.63.129.16', 32, metadata),
  // Some systems treat these as loopback. 127.0.0.1 is unambiguous.
  range('0.0.0.0', 8, nowhere),
  range('::', 128, nowhere),
  range('224.0.0.0', 4, 'a multicast address'),
  range('ff00::', 8, 'a multicast address'),
  range('255.255.255.255', 32, 'a broadcast address'),
]

/**
 * Returns why an address is never called, such as "a multicast address"; null for an allowed one. Checks an IPv4 address
 * embedded in an IPv6 address too. Blocks everything that is not an address.
 *
 * @param address as resolvers and parsed URLs write it, without brackets.
 */
export function blockedAs(address: string): string | null {
  const text = address.split('%')[0] ?? ''
  if (isIP(text) === 0) return 'not an address'
  const ip = ipaddr.parse(text)
  const all = ip instanceof ipaddr.IPv6 ? [ip, ...embeddedIpv4(ip)] : [ip]
  return blocked.find(range => all.some(one => isWithin(one, range)))?.what ?? null
}

function isWithin(ip: IpAddress, { prefix, bits }: Range): boolean {
  return ip.kind() === prefix.kind() && ip.match(prefix, bits)
}

/** Returns the IPv4 addresses to which translators and tunnels would map an IPv6 address. */
function embeddedIpv4({ parts }: ipaddr.IPv6): ipaddr.IPv4[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = parts
  const last = ipv4(g, h)
  const found: ipaddr.IPv4[] = []
  const upTo = (count: number) => parts.slice(0, count).every(group => group === 0)
  // IPv4-compatible (::a.b.c.d), -mapped (::ffff:a.b.c.d) and -translated (::ffff:0:a.b.c.d).
  if (upTo(6) && !(g === 0 && h <= 1)) found.push(last)
  if (upTo(5) && f === 0xffff) found.push(last)
  if (upTo(4) && e === 0xffff && f === 0) found.push(last)
  // NAT64: the well-known prefix, and the local one with the address last or right after it (RFC 6052, RFC 8215).
  if (a === 0x64 && b === 0xff9b && c === 0) found.push(last)
  if (a === 0x64 && b === 0xff9b && c === 1)
    found.push(...[last, ipv4(d, ((e & 255) << 8) | (f >> 8))].filter(({ octets }) => octets[0] !== 0))
  // 6to4, Teredo (server, and client with its bits flipped) and ISATAP.
  if (a === 0x2002) found.push(ipv4(b, c))
  if (a === 0x2001 && b === 0) found.push(ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff))
  if ((e === 0 || e === 0x200) && f === 0x5efe) found.push(last)
  return found
}

function ipv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
}

/** The host is, or resolves to, an address that is never called. */
export class BlockedAddressError extends Error {
  readonly code = 'blocked_address'

  constructor(host: string, address: string, what: string) {
    const resolves = host === address ? host : `${host} resolves to ${address}, which`
    super(`${resolves} is ${what}. The service never calls such addresses.`)
    this.name = 'BlockedAddressError'
  }
}

/** Returns the error of an address that is never called; undefined for an allowed one. */
export function refusalOf(host: string, address: string): BlockedAddressError | undefined {
  const what = blockedAs(address)
  return what === null ? undefined : new BlockedAddressError(host, address, what)
}

/**
 * Wraps a lookup so that it fails if any address of a name is never called: a name cannot hide a blocked address behind
 * an allowed one. The socket connects to the addresses returned here without another lookup.
 */
export function guardLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, [])
      const addresses: LookupAddress[] =
        typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found
      const [refusal] = addresses.flatMap(({ address }) => refusalOf(hostname, address) ?? [])
      if (refusal !== undefined) return callback(refusal, [])
      const [first] = addresses
      if (first === undefined) return callback(noAddress(hostname), [])
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND', hostname })
}

/** Returns the host and port of a base URL; null for null. */
export function hostOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).host
}

/**
 * Returns why calls to a base URL are refused, such as "link-local"; null if they are not. Names are only resolved when
 * a call is made.
 */
export function blockedHost(baseUrl: string): string | null {
  // URL normalizes every spelling of an IPv4 address.
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? null : blockedAs(host)
}

/** Returns whether calls travel unencrypted over a network. */
export function isPlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)
}
