import { numberText } from '../json/exact-json.ts'
import type { Method } from './method.ts'
import { trailingSlashes } from './urls.ts'

// Node and browsers both have it, but their types are not available here.
declare const URL: new (text: string) => { readonly origin: string; readonly pathname: string }

type Arguments = Readonly<Record<string, unknown>>

/** The part of a call's URL that is the same for every call of an action. */
export type ActionUrl = {
  /** Scheme, host and port: `https://api.example.com:8443`. */
  readonly origin: string
  /** From the first slash on, with the fixed query of the path. */
  readonly target: string
}

/**
 * Joins base URL and path with exactly one slash. The path `/`, or an empty one before a `?`, calls the base URL itself.
 * Path segments are normalized by the URL standard. The fixed query keeps its bytes, except that non-ASCII characters are
 * percent-encoded, because HTTP cannot carry them otherwise.
 *
 * @param baseUrl absolute, without query and fragment.
 */
export function joinUrl(baseUrl: string, path: string): ActionUrl {
  const question = path.indexOf('?')
  const pathname = question === -1 ? path : path.slice(0, question)
  const query = question === -1 ? '' : path.slice(question)
  const suffix = pathname.replace(/^\/+/, '')
  const url = new URL(baseUrl.replace(trailingSlashes, '') + (suffix === '' ? '' : `/${suffix}`))
  return { origin: url.origin, target: url.pathname + query.replace(/[^!-~]+/g, encodeText) }
}

/**
 * Adds arguments to a target as query parameters, in declared order. All special characters are percent-encoded, so no
 * argument changes the path or another parameter. Null counts as not given.
 */
export function withQuery(
  target: string,
  parameters: readonly { readonly name: string }[],
  given: Arguments,
): string {
  let url = target
  let separator = separatorAfter(target)
  for (const { name } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null) continue
    url += `${separator}${encodeURIComponent(name)}=${encodeText(queryText(value))}`
    separator = '&'
  }
  return url
}

/** Returns a target or URL with more pairs `name=value` in its query. @param pairs joined by `&`. */
export function withPair(target: string, pairs: string): string {
  return target + separatorAfter(target) + pairs
}

/** Returns whether arguments are in the query and the signed body is empty. */
export function takesQuery(method: Method): boolean {
  return method === 'GET'
}

function separatorAfter(target: string): string {
  if (!target.includes('?')) return '?'
  return /[?&]$/.test(target) ? '' : '&'
}

function queryText(value: unknown): string {
  if (typeof value === 'string') return value
  const number = numberText(value)
  return number === null ? JSON.stringify(value) : decimal(number)
}

/** Percent-encodes any text. encodeURIComponent throws for half a surrogate pair, which a language model can write. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Maximum number of zeros that are written out: `1e999999999` would fill the memory. */
const mostZeros = 400

/** Returns a number's text with all its digits and without exponent: 1e-7 becomes 0.0000001. */
export function decimal(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(number) ?? []
  const power = Number(exponent)
  if (exponent === undefined || Math.abs(power) > mostZeros) return number
  const digits = whole + fraction
  const point = whole.length + power
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
