import { matchKey } from '#main/signing/verify.ts'
import { type Admitted, type Refusal, refuse } from './admit.ts'
import { parseBody } from './body.ts'
import type { Directory, InboundConnection } from './directory.ts'

/** A request that leaves nothing to refuse: an event. */
export type Examined = {
  readonly ok: true
  readonly connection: InboundConnection
  readonly eventName: string
  readonly data: Record<string, unknown>
  readonly bodyText: string
  readonly signature: string
  /** Signed with the secret before the last rotation. */
  readonly previousSecret: boolean
}

/**
 * The steps of E1 that need the whole body: signature, body, and whether the connection is still there
 * and enabled, for it may have been switched off while the body was under way. Pure.
 *
 * @param nowMs milliseconds since 1970.
 */
export function examine(
  admitted: Admitted,
  body: Buffer,
  directory: Directory,
  nowMs: number,
): Examined | Refusal {
  const { token, timestamp, signature } = admitted
  const connection = directory.byToken(token)
  if (connection === undefined) return refuse('unknown_token', null, true)
  const key = matchKey(connection.keys, timestamp, signature, body, nowMs)
  if (key === null) return refuse('invalid_signature', connection, true)
  const parsed = parseBody(body)
  if (!parsed.ok) return refuse(parsed.code, connection, true, parsed.detail)
  if (!connection.record.enabled) return refuse('connection_disabled', connection, true)
  return {
    ok: true,
    connection,
    eventName: parsed.eventName,
    data: parsed.data,
    bodyText: parsed.bodyText,
    signature,
    previousSecret: key.kind === 'previous',
  }
}
