import { embeddedIpv4, hasPrefix, type IpAddress, parseIp } from './ip-address.ts'

type Range = { readonly prefix: IpAddress; readonly bits: number; readonly what: string }

function range(text: string, bits: number, what: string): Range {
  const prefix = parseIp(text)
  if (prefix === null) throw new TypeError(`${text} is no address.`)
  return { prefix, bits, what }
}

const metadata = 'a cloud metadata address'
const nowhere = 'an address that no host has'

/**
 * What is never called: addresses from which a machine hands out credentials to whoever asks, and those that
 * are no destination (decisions: addresses). Loopback and private networks are allowed.
 */
const blocked: readonly Range[] = [
  range('169.254.0.0', 16, 'link-local, where clouds keep their metadata'),
  range('fe80::', 10, 'link-local'),
  // Amazon: instance metadata is ::254, credentials of containers ::23, time and names beside them.
  range('fd00:ec2::', 32, metadata),
  // Google, Linode, Scaleway.
  range('fd20:ce::254', 128, metadata),
  range('fd00:a9fe:a9fe::', 48, metadata),
  range('fd00:42::42', 128, metadata),
  // Alibaba, Oracle Cloud Classic, and the agent of Azure, which gives out certificates and settings.
  range('100.100.100.200', 32, metadata),
  range('192.0.0.192', 32, metadata),
  range('168.63.129.16', 32, metadata),
  // Systems read these as loopback or not at all; 127.0.0.1 says what is meant.
  range('0.0.0.0', 8, nowhere),
  range('::', 128, nowhere),
  range('224.0.0.0', 4, 'a multicast address'),
  range('ff00::', 8, 'a multicast address'),
  range('255.255.255.255', 32, 'a broadcast address'),
]

/**
 * What an address is that makes it one never to be called; null for a good one. IPv6 addresses that carry an
 * IPv4 address for a translator or tunnel are judged by that one too.
 *
 * @param address as resolvers and parsed URLs write them, without brackets. What is no address is blocked.
 */
export function blockedAs(address: string): string | null {
  const ip = parseIp(address)
  if (ip === null) return 'no address'
  const all = ip.length === 8 ? [ip, ...embeddedIpv4(ip)] : [ip]
  return blocked.find(({ prefix, bits }) => all.some(one => hasPrefix(one, prefix, bits)))?.what ?? null
}

/** A host that is, or resolves to, an address never to be called. */
export class BlockedAddressError extends Error {
  readonly code = 'blocked_address'

  constructor(host: string, address: string, what: string) {
    const resolves = host === address ? host : `${host} resolves to ${address}, which`
    super(`${resolves} is ${what}; such addresses are never called.`)
    this.name = 'BlockedAddressError'
  }
}

/** @throws BlockedAddressError */
export function checkAddress(host: string, address: string): void {
  const what = blockedAs(address)
  if (what !== null) throw new BlockedAddressError(host, address, what)
}
