import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { isBeyond } from '#shared/json/json-depth.ts'

/**
 * Bounds of a client's message. The SDK validates a message several times, which takes about 20 µs for each value: one of
 * 4 MiB can have 700,000 values, and would keep all other work waiting for seconds.
 */
export const messageLimits = { bytes: 4 * 1024 * 1024, levels: 1000, values: 20_000 } as const

/** The codes of JSON-RPC for a message that cannot be taken. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  internal: -32_603,
  server: -32_000,
} as const

/** Why a message cannot be taken. */
export class MessageError extends Error {
  readonly rpcCode: number
  /** Over HTTP. */
  readonly status: number
  /** The id of the message; null if it is not known. */
  readonly id: string | number | null

  constructor(
    rpcCode: number,
    message: string,
    { status = 400, id = null, cause }: { status?: number; id?: MessageError['id']; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'MessageError'
    this.rpcCode = rpcCode
    this.status = status
    this.id = id
  }
}

/** Returns the error of JSON-RPC for a message. @param id null for one that has none, or whose id is not known. */
export function rpcError(code: number, message: string, data?: object, id: MessageError['id'] = null) {
  return {
    jsonrpc: '2.0' as const,
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  }
}

/**
 * Parses the JSON of a message or a batch. Numbers keep their digits. Parameters of a request that are null are left out,
 * except within the arguments of a tool: clients of typed languages send null for what is not given.
 *
 * @throws MessageError
 */
export function parseMessage(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new MessageError(rpcCodes.parseError, 'Parse error: the message is not valid UTF-8.')
  const text = bytes.toString('utf8')
  if (isBeyond(text, messageLimits)) {
    const { levels, values } = messageLimits
    const most = `${values.toLocaleString('en')} values and ${levels.toLocaleString('en')} levels`
    throw new MessageError(rpcCodes.invalidRequest, `Invalid request: a message has at most ${most}.`)
  }
  const value = readJson(text)
  return Array.isArray(value) ? value.map(withoutNulls) : withoutNulls(value)
}

function readJson(text: string): unknown {
  try {
    return parseExact(text)
  } catch (cause) {
    throw new MessageError(rpcCodes.parseError, 'Parse error: the message is not valid JSON.', { cause })
  }
}

function withoutNulls(message: unknown): unknown {
  if (!isObject(message) || typeof message.method !== 'string') return message
  const { params, ...rest } = message
  const { id } = message
  if ((params ?? null) === null) return rest
  // The SDK would drop it.
  if (isObject(params) && isObject(params.arguments) && Object.hasOwn(params.arguments, '__proto__'))
    throw new MessageError(
      rpcCodes.invalidRequest,
      'Invalid request: an argument cannot be named "__proto__" here.',
      typeof id === 'string' || typeof id === 'number' ? { id } : {},
    )
  return { ...rest, params: given(params) }
}

/** Returns a value without the fields that are null. The message bounds how deep it is. */
function given(value: unknown): unknown {
  if (!isObject(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name === 'arguments' ? field : given(field)]),
  )
}

const Cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
})

/** Returns the ids of the requests that a message or a batch cancels. */
export function cancelledBy(body: unknown): (string | number)[] {
  return [body].flat().flatMap(message => Cancellation.safeParse(message).data?.params.requestId ?? [])
}

/** The last version of MCP with batches of JSON-RPC. Versions are dates, which compare as texts. */
const lastWithBatches = '2025-03-26'
/** As the SDK over HTTP. */
const maxBatch = 100

/**
 * Checks a batch of messages.
 *
 * @param version the version of MCP that the client has negotiated; null for none.
 * @throws MessageError
 */
export function checkBatch(batch: readonly unknown[], version: string | null): void {
  const problem = batchProblem(batch, version)
  if (problem !== null) throw new MessageError(rpcCodes.invalidRequest, `Invalid request: ${problem}`)
}

function batchProblem(batch: readonly unknown[], version: string | null): string | null {
  if (version === null) return 'a batch needs a session. Send initialize by itself first.'
  if (version > lastWithBatches) return `MCP ${version} has no batches. Send each message by itself.`
  if (batch.length === 0) return 'the batch is empty.'
  if (batch.length > maxBatch) return `a batch has at most ${maxBatch} messages.`
  const messages = batch.map(message => Object(message))
  if (messages.some(({ method }) => method === 'initialize')) return 'initialize cannot be part of a batch.'
  const ids = messages.flatMap(message => ('id' in message && 'method' in message ? [message.id] : []))
  return new Set(ids).size < ids.length ? 'two requests of the batch have the same id.' : null
}
