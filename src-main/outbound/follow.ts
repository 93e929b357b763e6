import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import type { CallError } from '#shared/model/call.ts'
import type { RawAnswer } from './exchange.ts'
import { failureOf } from './failures.ts'
import type { HeaderMap } from './header-values.ts'
import type { createSender, SendLimits } from './send.ts'

/**
 * Returns a function that fetches what is at a URL, and follows redirects. Every address that it redirects to is checked
 * like the first.
 */
export function createFollower(parts: {
  readonly sender: ReturnType<typeof createSender>
  readonly limits: SendLimits
  readonly headers: Readonly<HeaderMap>
  readonly maxRedirects: number
  /** Milliseconds for everything, redirects included. */
  readonly timeoutMs: number
}) {
  const { sender, limits, headers: usual, maxRedirects, timeoutMs } = parts
  /**
   * Returns the answer, and the URL that gave it.
   *
   * @param own headers for the first host.
   * @throws ServiceError `source_unreachable`, `source_timed_out`, `source_redirect`, `source_blocked`,
   *   `source_too_large`.
   */
  return async (first: URL, own: Readonly<HeaderMap>, signal: AbortSignal | undefined) => {
    const endsAt = performance.now() + timeoutMs
    let url = first
    for (let redirects = 0; ; redirects++) {
      const headers = url.host === first.host ? { ...usual, ...own } : usual
      const request = {
        method: 'GET',
        origin: url.origin,
        target: url.pathname + url.search,
        headers: () => headers,
      }
      const leftMs = Math.max(1, endsAt - performance.now())
      const outcome = await sender.send({ ...request, bytes: Buffer.alloc(0) }, leftMs, signal)
      if ('error' in outcome) throw failed(failureOf({ ...outcome, host: url.host, timeoutMs, limits }))
      const { answer } = outcome
      if (!isRedirect(answer)) return { url, answer }
      if (redirects === maxRedirects)
        throw refused('source_redirect', `${first.host} redirects more than ${maxRedirects} times.`)
      url = nextUrl(url, answer)
    }
  }
}

const isRedirect = ({ status, headers }: RawAnswer) =>
  [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined

/** @throws ServiceError `source_redirect`. */
function nextUrl(url: URL, { headers }: RawAnswer): URL {
  const location = headers.location ?? ''
  if (!URL.canParse(location, url.href))
    throw refused('source_redirect', `${url.host} redirects to something that is not a URL.`)
  const next = new URL(location, url.href)
  if (next.protocol !== 'https:' && next.protocol !== 'http:')
    throw refused(
      'source_redirect',
      `${url.host} redirects to ${next.protocol.slice(0, 40)} instead of http or https.`,
    )
  if (url.protocol === 'https:' && next.protocol === 'http:')
    throw refused(
      'source_redirect',
      `${url.host} redirects from https to http, which is not followed: the document could be changed on its way.`,
    )
  if (next.username !== '' || next.password !== '')
    throw refused('source_redirect', `${url.host} redirects to a URL with a user name or password.`)
  return next
}

const codes: Readonly<Record<string, ErrorCode>> = {
  blocked_address: 'source_blocked',
  response_too_large: 'source_too_large',
  timeout: 'source_timed_out',
}

export function failed({ code, message }: CallError): ServiceError {
  return refused(codes[code] ?? 'source_unreachable', message)
}

export function refused(code: ErrorCode, detail: string): ServiceError {
  return new ServiceError(code, { detail })
}
