import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import type { CallError } from '#shared/model/call.ts'
import { mask } from '#shared/model/environment.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type { DocumentSource, FetchedDocument } from '#shared/model/import-source.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import type { RawAnswer } from './exchange.ts'
import { failureOf } from './failures.ts'
import { type Environment, fillHeaders, type HeaderMap, headerSecrets, variablesOf } from './header-values.ts'
import { decodeText, is2xx } from './read-response.ts'
import { createSender, defaultLimits, type SendLimits } from './send.ts'
import type { Trust } from './trust.ts'

/** Milliseconds for everything, redirects included. */
const timeLimitMs = 30_000
const maxRedirects = 3
/** Each holds up to 16 MiB. */
const maxAtOnce = 4
/** Shorter values are not masked in a document, because ordinary words can be equal to them. */
const minMasked = 8

export type DocumentFetcher = ReturnType<typeof createDocumentFetcher>

/**
 * Fetches documents to import, within the same address guard as calls.
 *
 * @param options.lookup replaces the system's resolver in tests.
 * @param options.trust trusted certificate authorities; Node's own by default.
 */
export function createDocumentFetcher(options: {
  readonly environment: Environment
  readonly version: string
  readonly trust?: Pick<Trust, 'context'>
  readonly lookup?: LookupFunction
  readonly timeoutMs?: number
}) {
  const { environment, version, trust, lookup = systemLookup, timeoutMs = timeLimitMs } = options
  const limits: SendLimits = { ...defaultLimits, bodyBytes: maxImportBytes, connections: maxAtOnce }
  const sender = createSender({ lookup, context: () => trust?.context(), limits })
  const usual = {
    Accept: 'application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.8',
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': `custom-connection/${version}`,
  }
  let running = 0

  /** Follows redirects to the document. @param own headers for the first host. */
  async function follow(first: URL, own: Readonly<HeaderMap>, signal: AbortSignal | undefined) {
    const endsAt = performance.now() + timeoutMs
    let url = first
    for (let redirects = 0; ; redirects++) {
      const headers = url.host === first.host ? { ...usual, ...own } : usual
      const request = { method: 'GET', origin: url.origin, target: url.pathname + url.search, headers }
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

  return {
    /**
     * Returns the text at a URL. Every address that it redirects to is checked like the first.
     *
     * @throws ServiceError `source_unreachable`, `source_timed_out`, `source_status`, `source_redirect`,
     *   `source_blocked`, `source_too_large`, `source_not_text`, `source_header`, `imports_busy`.
     */
    async fetch({ url, header }: DocumentSource, signal?: AbortSignal): Promise<FetchedDocument> {
      const templates = header == null ? {} : { [header.name]: header.value }
      const names = variablesOf(templates)
      const fetched = (await environment.fetchMissing?.(names)) ?? null
      if (fetched !== null && 'error' in fetched) throw refused('source_header', fetched.error.message)
      const values = new Map(
        names.map(name => [name, fetched?.values.get(name) ?? environment.resolve(name)]),
      )
      const filled = fillHeaders(templates, values)
      if ('error' in filled) throw refused('source_header', filled.error.message)
      if (running >= maxAtOnce) throw new ServiceError('imports_busy')
      const startedAt = performance.now()
      running++
      try {
        const { url: found, answer } = await follow(new URL(url), filled.headers, signal)
        const { host } = found
        if (!is2xx(answer.status)) throw statusRefusal(host, answer.status, header != null)
        const { body, error } = isEncoded(answer) ? await decode(answer, limits) : whole(answer.body, limits)
        if (error !== null || body === null) throw failed(error ?? { code: 'network_error', message: '' })
        const text = decodeText(body, answer.headers['content-type'])
        if (text === null)
          throw refused(
            'source_not_text',
            `${host} answered with data that is not text. Give the address of a JSON or YAML document.`,
          )
        const secrets = Object.values(templates).flatMap(template => headerSecrets(template, values))
        return {
          text: withoutSecrets(text, secrets),
          url: found.href,
          bytes: body.length,
          tookMs: performance.now() - startedAt,
        }
      } finally {
        running--
      }
    },
    /** Cancels running fetches. */
    close: sender.close,
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

function statusRefusal(host: string, status: number, hasHeader: boolean): ServiceError {
  const header = hasHeader ? 'Check the header.' : 'Add a header.'
  const advice =
    status === 401 || status === 403
      ? header
      : status === 404
        ? 'Check the address.'
        : 'Try again later, or paste the document.'
  return refused('source_status', `${host} answered ${status}. ${advice}`)
}

const codes: Readonly<Record<string, ErrorCode>> = {
  blocked_address: 'source_blocked',
  response_too_large: 'source_too_large',
  timeout: 'source_timed_out',
}

function failed({ code, message }: CallError): ServiceError {
  return refused(codes[code] ?? 'source_unreachable', message)
}

function refused(code: ErrorCode, detail: string): ServiceError {
  return new ServiceError(code, { detail })
}

/** Masks the values of the header that the host has written into its answer. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(secret => secret.length >= minMasked)
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
}
