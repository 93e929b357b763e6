import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request as it goes over the wire, in parts. */
export type FuzzedRequest = {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** The state of the service under test that the oracle uses. */
export type OracleWorld = {
  /** By inbound token. */
  readonly connections: ReadonlyMap<string, { readonly enabled: boolean; readonly secret: string }>
  readonly maxBodyBytes: number
}

/**
 * Returns what E1 must answer: the error code, or `ok`. Written from the specification and the decisions
 * alone: it shares no code with the service.
 *
 * @param nowMs milliseconds since 1970. No fuzzed timestamp is within seconds of the limit, so the time that a
 *   request takes does not matter.
 */
export function expectedCode(request: FuzzedRequest, world: OracleWorld, nowMs: number): string {
  const path = /^\/api\/connect\/([^/?]+)\/events(?:\?|$)/.exec(request.target)
  if (path === null) return 'not_found'
  if (request.method !== 'POST') return 'method_not_allowed'
  const connection = world.connections.get(path[1] ?? '')
  if (connection === undefined) return 'unknown_token'
  if (!connection.enabled) return 'connection_disabled'

  const valuesOf = (wanted: string) =>
    request.headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => trim(value))
  const encoding = valuesOf('content-encoding').join(', ').toLowerCase()
  if (encoding !== '' && encoding !== 'identity') return 'unsupported_encoding'
  if (request.body.length > world.maxBodyBytes) return 'body_too_large'

  const signatures = valuesOf('x-service-signature')
  const timestamps = valuesOf('x-service-timestamp')
  if (signatures.length > 1 && timestamps.length > 1) return 'invalid_signature or invalid_timestamp'
  if (signatures.length > 1) return 'invalid_signature'
  if (timestamps.length > 1) return 'invalid_timestamp'
  const [signature = ''] = signatures
  const [timestamp = ''] = timestamps
  if (signature === '') return 'missing_signature'
  if (timestamp === '') return 'missing_timestamp'
  if (!/^[0-9]{1,15}$/.test(timestamp)) return 'invalid_timestamp'
  if (Math.abs(Number(timestamp) - nowMs) > 300_000) return 'stale_timestamp'
  if (!isSignedWith(connection.secret, timestamp, request.body, signature)) return 'invalid_signature'
  return bodyCode(request.body)
}

/** A header's value without the optional white space around it (RFC 9110). */
function trim(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '')
}

function isSignedWith(secret: string, timestamp: string, body: Buffer, signature: string): boolean {
  const right = `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
  return (
    right.length === signature.length &&
    timingSafeEqual(Buffer.from(right, 'latin1'), Buffer.from(signature, 'latin1'))
  )
}

function bodyCode(body: Buffer): string {
  let text: string
  let root: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    root = JSON.parse(text)
  } catch {
    return 'invalid_json'
  }
  if (depthOf(root) > 1000) return 'invalid_json'
  if (!isPlainObject(root) || !Object.hasOwn(root, 'event')) return 'missing_event'
  const { event } = root
  if (typeof event !== 'string' || event === '' || [...event].length > 255) return 'invalid_event'
  const data = Object.hasOwn(root, 'data') ? root.data : null
  return data === null || isPlainObject(data) ? 'ok' : 'invalid_data'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Levels of nesting, without recursion: the fuzzed bodies are nested 100,000 deep. */
function depthOf(root: unknown): number {
  let deepest = 0
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { value, depth } = entry
    if (typeof value !== 'object' || value === null) continue
    deepest = Math.max(deepest, depth + 1)
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 })
  }
  return deepest
}
