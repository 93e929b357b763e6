import type { Duplex } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'
import { isBeyond } from '#main/json/json-depth.ts'
import { createGrowingBuffer } from '#main/lib/growing-buffer.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { messageLimits } from './message-limits.ts'

const lineFeed = 10
/** Bytes that a client may leave unread, as over HTTP. */
const maxUnsentBytes = 64 * 1024 * 1024
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

  const transport: Transport = {
    async start() {
      stream.on('data', read)
      stream.once('end', finish)
      stream.once('close', () => void transport.close())
      stream.on('error', error => transport.onerror?.(error))
    },
    async send(message) {
      if ('id' in message && message.id !== undefined && !('method' in message)) unanswered.delete(message.id)
      if (isClosed || stream.destroyed) return
      stream.write(`${JSON.stringify(message)}\n`)
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
      const text = line.take().toString('utf8').trim()
      if (text !== '') receive(text)
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

  function receive(text: string): void {
    const message = parse(text)
    if (message === null) return
    if ('method' in message && 'id' in message && message.id !== undefined) {
      // A subscription has no answer until it ends.
      if (message.method !== 'subscriptions/listen') unanswered.add(message.id)
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const id: unknown = Object(message.params).requestId
      if (typeof id === 'string' || typeof id === 'number') unanswered.delete(id)
    }
    transport.onmessage?.(message)
  }

  function parse(text: string): JSONRPCMessage | null {
    try {
      if (isBeyond(text, messageLimits))
        throw new RangeError('The message is nested too deep, or has too many values.')
      return parseJSONRPCMessage(parseExact(text))
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      write({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_700, message: 'The line is not a JSON-RPC message.' },
      })
      return null
    }
  }

  function refuse(message: string): void {
    write({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } })
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
