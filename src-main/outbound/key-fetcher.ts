import { lookup as systemLookup } from 'node:dns'
import { hourMs, minuteMs } from '#shared/durations.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { createFollower, failed, refused } from './follow.ts'
import { is2xx } from './read-response.ts'
import { createSender, defaultLimits, type FetcherOptions, type SendLimits } from './send.ts'

/** Milliseconds for everything, redirects included. */
const timeLimitMs = 10_000
const maxRedirects = 3
const limits: SendLimits = { ...defaultLimits, bodyBytes: 256 * 1024, connections: 2 }
const usualAgeMs = hourMs
const longestAgeMs = 24 * hourMs

/**
 * Fetches public keys of senders, within the same address guard as calls.
 */
export function createKeyFetcher(options: FetcherOptions) {
  const { version, trust, lookup = systemLookup, timeoutMs = timeLimitMs } = options
  const sender = createSender({ lookup, context: () => trust?.context(), limits })
  const headers = {
    Accept: 'application/jwk-set+json, application/json, application/x-pem-file, */*;q=0.8',
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': `custom-connection/${version}`,
  }
  const followerWith = (most: number) =>
    createFollower({ sender, limits, headers, maxRedirects: most, timeoutMs })
  const [follow, stay] = [followerWith(maxRedirects), followerWith(0)]

  return {
    /**
     * Returns the bytes at an address, and how long they may be kept, in milliseconds.
     *
     * @param follows whether redirects are followed.
     * @throws ServiceError as `createFollower` does, and `source_status`.
     */
    async fetch(url: string, follows: boolean) {
      const { url: found, answer } = await (follows ? follow : stay)(new URL(url), {}, undefined)
      if (!is2xx(answer.status)) throw refused('source_status', `${found.host} answered ${answer.status}.`)
      const { body, error } = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
      if (error !== null || body === null) throw failed(error ?? { code: 'network_error', message: '' })
      return { bytes: body, maxAgeMs: maxAgeOf(answer.headers['cache-control'] ?? '') }
    },
    /** Cancels running fetches. */
    close: sender.close,
  }
}

/** Returns how long an answer may be kept: a minute at least, because keys are fetched no more often, and a day at most. */
function maxAgeOf(cacheControl: string): number {
  if (/(?:^|[, ])no-(?:store|cache)(?:$|[, ])/i.test(cacheControl)) return minuteMs
  const [, seconds] = /(?:^|[, ])max-age="?(\d{1,9})/i.exec(cacheControl) ?? []
  const age = seconds === undefined ? usualAgeMs : Number(seconds) * 1000
  return Math.min(Math.max(age, minuteMs), longestAgeMs)
}
