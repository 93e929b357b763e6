/** The part of a response that says when to retry. */
export type RetryHint = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/** The three forms of a date in HTTP (RFC 9110, 5.6.7). */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/

/** Decimals are not in the standard, but some servers send them. */
const seconds = /^\d+(?:\.\d+)?$/
const maxParts = 100

/**
 * Returns how long a response asks to wait before the next request, in milliseconds; 0 if it does not. Only 429 and 503
 * can ask for it, with `Retry-After` in seconds or as a date. Of several numbers, which proxies add, the longest counts.
 *
 * @param now milliseconds since 1970.
 */
export function retryAfterMs(response: RetryHint | null, now: number): number {
  if (response?.status !== 429 && response?.status !== 503) return 0
  const value = response.headers['retry-after']?.trim()
  if (value === undefined) return 0
  const parts = value.split(',', maxParts).map(part => part.trim())
  if (parts.every(part => seconds.test(part))) return Math.ceil(Math.max(...parts.map(Number))) * 1000
  if (!httpDate.test(value)) return 0
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
