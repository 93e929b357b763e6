import { matchKey } from '#main/signing/verify.ts'
import { type Admitted, type Refusal, refuse } from './admit.ts'
import { parseBody } from './body.ts'
import type { Directory, InboundConnection } from './directory.ts'

/** A request that passed all checks: an event. */
export type Examined = {
  readonly ok: true
  readonly connection: InboundConnection
  readonly eventName: string
  readonly data: Record<string, unknown>
  readonly bodyText: string
  readonly signature: string
  /** Signed with an earlier secret within its grace period. */
  readonly previousSecret: boolean
}

/**
 * Checks what needs the whole body: the signature, then the body. Also checks again that the connection exists and is
 * enabled, because this can change while the body arrives. Pure.
 *
 * @param nowMs milliseconds since 1970.
 */
export function examine(
  admitted: Admitted,
  body: Buffer,
  directory: Pick<Directory, 'byToken'>,
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
