import type { Duplex } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { createGrowingBuffer } from '#main/lib/growing-buffer.ts'
import { checkBatch, MessageError, messageLimits, parseMessage, rpcCodes, rpcError } from './parse-message.ts'

const lineFeed = 10
const space = 32
/** Bytes that a client may leave unread, as over HTTP. */
const maxUnsentBytes = 64 * 1024 * 1024

/** A batch whose responses are sent together. */
type Batch = { readonly left: Set<string | number>; readonly responses: JSONRPCMessage[] }

/**
 * Creates a transport of one JSON message per line. The SDK's own would lose digits of numbers, and drop the answers of
 * a client that closes its side after its last request, as `echo … | custom-connection mcp` does.
 *
 * @param graceMs milliseconds for unanswered requests after the client has closed its side.
 */
export function createLineTransport(stream: Duplex, graceMs = 5000): Transport {
  const line = createGrowingBuffer(messageLimits.bytes)
  let isClosed = false
  let hasEnded = false
  const unanswered = new Set<string | number>()
  /** By the ids of their requests. */
  const batches = new Map<string | number, Batch>()
  /** The version of MCP that was negotiated; null for none. */
  let version: string | null = null

  const transport: Transport = {
    async start() {
      stream.on('data', read)
      stream.once('end', finish)
      stream.once('close', () => void transport.close())
      stream.on('error', error => transport.onerror?.(error))
    },
    async send(message) {
      const id = 'id' in message && !('method' in message) ? message.id : undefined
      if (id !== undefined) unanswered.delete(id)
      if (version === null && 'result' in message && typeof message.result.protocolVersion === 'string')
        version = message.result.protocolVersion
      const batch = id === undefined ? undefined : batches.get(id)
      if (id === undefined || batch === undefined) write(message)
      else {
        batches.delete(id)
        batch.left.delete(id)
        batch.responses.push(message)
        if (batch.left.size === 0) write(batch.responses)
      }
      if (stream.writableLength > maxUnsentBytes) stream.destroy()
      closeIfFinished()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      line.take()
      stream.end()
      transport.onclose?.()
    },
  }

  function read(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      if (!collect(chunk.subarray(from, end))) return
      from = end + 1
      const bytes = line.take()
      if (bytes.some(byte => byte > space)) receive(bytes)
      if (isClosed) return
    }
    if (from < chunk.length) collect(chunk.subarray(from))
  }

  /** Returns whether the line is not too long. */
  function collect(piece: Buffer): boolean {
    const fits = line.size + piece.length <= messageLimits.bytes
    if (fits) line.append(piece)
    else refuse(`A message has at most ${messageLimits.bytes} bytes.`)
    return fits
  }

  function receive(bytes: Buffer): void {
    try {
      const value = parseMessage(bytes)
      if (Array.isArray(value)) receiveBatch(value)
      else take(toMessage(value))
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      if (error instanceof MessageError) write(rpcError(error.rpcCode, error.message, undefined, error.id))
    }
  }

  function receiveBatch(values: readonly unknown[]): void {
    checkBatch(values, version)
    const messages = values.map(toMessage)
    const ids = messages.flatMap(message => ('method' in message && 'id' in message ? [message.id] : []))
    const batch: Batch = { left: new Set(ids), responses: [] }
    for (const id of ids) batches.set(id, batch)
    messages.forEach(take)
  }

  function take(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message && message.id !== undefined) {
      // A subscription has no answer until it ends.
      if (message.method !== 'subscriptions/listen') unanswered.add(message.id)
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const id: unknown = Object(message.params).requestId
      if (typeof id === 'string' || typeof id === 'number') withdraw(id)
    }
    transport.onmessage?.(message)
  }

  /** A cancelled request is not answered. */
  function withdraw(id: string | number): void {
    unanswered.delete(id)
    const batch = batches.get(id)
    batches.delete(id)
    batch?.left.delete(id)
    if (batch?.left.size === 0 && batch.responses.length > 0) write(batch.responses)
  }

  function refuse(message: string): void {
    write(rpcError(rpcCodes.invalidRequest, message))
    void transport.close()
  }

  function write(value: object): void {
    if (!isClosed && !stream.destroyed) stream.write(`${JSON.stringify(value)}\n`)
  }

  function finish(): void {
    hasEnded = true
    setTimeout(() => void transport.close(), graceMs).unref()
    closeIfFinished()
  }

  function closeIfFinished(): void {
    if (hasEnded && unanswered.size === 0) void transport.close()
  }
  return transport
}

/** @throws MessageError */
function toMessage(value: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(value)
  } catch (cause) {
    const message = 'Invalid request: the line is not a message of JSON-RPC 2.0.'
    throw new MessageError(rpcCodes.invalidRequest, message, { cause })
  }
}
