import type { KeyObject } from 'node:crypto'
import type { FetchedKey, KeySource } from '../fetched-keys.ts'
import { noFetchedKeys } from '../fetched-keys.ts'
import { placeText, valuesAt } from '../places.ts'
import { fits, type KeyFamily } from '../public-key.ts'
import { type HeadProblem, invalid, type SenderHead } from '../sender-head.ts'

/** The keys that a request may be signed with, or why there are none. */
export type UsableKeys =
  | {
      readonly problem: null
      readonly keys: readonly KeyObject[]
      /** The address of the keys, if they can be fetched now and may have changed. */
      readonly renews: KeySource | null
    }
  | { readonly problem: HeadProblem; readonly needs?: KeySource }

/**
 * Returns the public keys of a request: the one that is given, or those of the address of the setting or the message.
 *
 * @param kid the id of the key that the request names; null if it names none.
 */
export function usableKeys(
  head: SenderHead,
  family: KeyFamily,
  kid: string | null,
  nowMs: number,
): UsableKeys {
  const { prepared, request } = head
  if (prepared.publicKey !== null) return { problem: null, keys: [prepared.publicKey], renews: null }
  const { keysUrl, certificate } = prepared.template
  if (keysUrl === undefined && certificate === undefined)
    return { problem: invalid('The public key of this sender is not set, so every request is refused.') }
  const source = keysUrl === undefined ? certificateOf(head) : ({ url: keysUrl, as: 'keys' } as const)
  if ('code' in source) return { problem: source }
  const { keys, isFresh, mayFetch } = (request.fetchedKeys ?? noFetchedKeys)(source)
  if (mayFetch && (keys === null || !isFresh)) return { problem: unavailable, needs: source }
  if (keys === null) return { problem: unavailable }
  const fitting = keys.filter(({ key }) => fits(key, family))
  const named = kid === null ? fitting : fitting.filter(one => one.kid === kid || one.kid === null)
  if (named.length === 0) {
    const detail =
      kid === null
        ? 'The sender has no key of this kind.'
        : 'The sender has no key with the id that the token names.'
    return { problem: { code: 'unknown_key', detail }, ...(mayFetch && { needs: source }) }
  }
  const valid = named.filter(one => isValid(one, nowMs))
  if (valid.length === 0)
    return {
      problem: { code: 'unknown_key', detail: 'The certificate of the key is not valid at this time.' },
    }
  const renews = mayFetch && kid === null && source.as === 'keys' ? source : null
  return { problem: null, keys: valid.map(({ key }) => key), renews }
}

const unavailable: HeadProblem = {
  code: 'keys_unavailable',
  detail: 'The public keys of the sender cannot be fetched at present. Send the request again later.',
}

const isValid = ({ valid }: FetchedKey, nowMs: number) =>
  valid === null || (nowMs >= valid.from && nowMs <= valid.to)

/** Returns the address of the certificate that a request names, or why nothing is fetched from it. */
function certificateOf({ prepared: { template }, request }: SenderHead): KeySource | HeadProblem {
  const { certificate = { header: '' }, certificateHosts = [] } = template
  const place = 'header' in certificate ? { header: certificate.header.toLowerCase() } : certificate
  const values = valuesAt(place, request) ?? []
  const [text] = values
  if (text === undefined || values.length > 1)
    return {
      code: 'missing_signature',
      detail: `The ${placeText(place)}, which has the address of the certificate, is missing.`,
    }
  const url = URL.canParse(text) ? new URL(text) : null
  if (
    url === null ||
    text.length > maxAddress ||
    url.protocol !== 'https:' ||
    url.port !== '' ||
    url.username !== '' ||
    url.password !== '' ||
    !certificateHosts.some(pattern => isHost(url.hostname, pattern))
  )
    return invalid(`The ${placeText(place)} must have an https address of ${certificateHosts.join(' or ')}.`)
  url.hash = ''
  return { url: url.href, as: 'certificate' }
}

const maxAddress = 1000

/** Before these labels are names of buckets: at `sns.s3.amazonaws.com` is what the owner of the bucket `sns` has put there. */
const ofBuckets = /^s3(?:-|$)/

/** Returns whether a host is one of a pattern, in which `*` is one label. */
export function isHost(host: string, pattern: string): boolean {
  const [labels, wanted] = [host.split('.'), pattern.split('.')]
  const isAny = (label = '') => label !== '' && !ofBuckets.test(label)
  return (
    labels.length === wanted.length &&
    wanted.every((label, index) => label === labels[index] || (label === '*' && isAny(labels[index])))
  )
}
