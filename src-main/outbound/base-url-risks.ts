import { isIP } from 'node:net'
import { blockedAs } from './address-guard.ts'

/** The host and port that a base URL names; null for none. */
export function hostOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).host
}

/**
 * What the address of a base URL is that calls to it are refused, such as link-local; null for a good one.
 * Names that resolve to such an address are only found out when a call is made.
 */
export function blockedHost(baseUrl: string): string | null {
  // The URL standard has brought every spelling of an IPv4 address to the dotted one.
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? null : blockedAs(host)
}

/** Whether what is sent travels unencrypted over a network. */
export function isPlainHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)
}
