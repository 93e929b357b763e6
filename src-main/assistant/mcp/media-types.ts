/** The forms of an answer that a client takes. */
export type Accepted = {
  /** One JSON document. */
  readonly json: boolean
  /** A stream of server-sent events. */
  readonly events: boolean
  /** Whether the client names streams, and not only any type. */
  readonly namesEvents: boolean
}

/** Returns what an Accept header takes. Without the header, a client takes everything. */
export function acceptedTypes(header: string | null): Accepted {
  const ranges = new Set(
    (header?.trim() || '*/*').split(',').flatMap(range => {
      const [type = '', ...parameters] = range
        .toLowerCase()
        .split(';')
        .map(part => part.trim())
      return parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter)) ? [] : [type]
    }),
  )
  const has = (...types: readonly string[]) => types.some(type => ranges.has(type))
  const namesEvents = has('text/event-stream', 'text/*')
  return {
    json: has('application/json', 'application/*', '*/*'),
    events: namesEvents || has('*/*'),
    namesEvents,
  }
}

/**
 * Returns an answer as one JSON document, for a client that takes no stream: the response to its message, or the list of
 * the responses to its batch. Notifications are left out.
 *
 * @param signal aborts when the client is gone.
 */
export async function asOneDocument(
  response: Response,
  isBatch: boolean,
  signal: AbortSignal,
): Promise<Response> {
  const { body, status, headers } = response
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return response
  const responses: string[] = []
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n')
    rest = lines.pop() ?? ''
    // The SDK writes each message in one line, without `method` only for responses.
    for (const line of lines) {
      const data = line.startsWith('data: ') ? line.slice('data: '.length) : ''
      if (/^\{/.test(data) && !('method' in Object(JSON.parse(data)))) responses.push(data)
    }
  }
  signal.removeEventListener('abort', cancel)
  // A cancelled request has no response.
  if (responses.length === 0) return new Response(null, { status: 202 })
  const kept = new Headers(headers)
  kept.set('content-type', 'application/json')
  return new Response(isBatch ? `[${responses.join(',')}]` : responses[0], { status, headers: kept })
}
