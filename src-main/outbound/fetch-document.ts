import { lookup as systemLookup } from 'node:dns'
import { ServiceError } from '#shared/errors.ts'
import { mask } from '#shared/model/environment.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type { DocumentSource, FetchedDocument } from '#shared/model/import-source.ts'
import { decode, isEncoded, whole } from './decode-body.ts'
import { createFollower, failed, refused } from './follow.ts'
import { type Environment, fillHeaders, headerSecrets, variablesOf } from './header-values.ts'
import { decodeText, is2xx } from './read-response.ts'
import { createSender, defaultLimits, type FetcherOptions, type SendLimits } from './send.ts'

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
 */
export function createDocumentFetcher(options: FetcherOptions & { readonly environment: Environment }) {
  const { environment, version, trust, lookup = systemLookup, timeoutMs = timeLimitMs } = options
  const limits: SendLimits = { ...defaultLimits, bodyBytes: maxImportBytes, connections: maxAtOnce }
  const sender = createSender({ lookup, context: () => trust?.context(), limits })
  const usual = {
    Accept: 'application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.8',
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': `custom-connection/${version}`,
  }
  let running = 0

  const follow = createFollower({ sender, limits, headers: usual, maxRedirects, timeoutMs })

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

/** Masks the values of the header that the host has written into its answer. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(secret => secret.length >= minMasked)
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
}
