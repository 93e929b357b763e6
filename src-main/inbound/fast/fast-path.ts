import type { Socket } from 'node:net'
import type { Answer } from '../answers.ts'
import { createAnswerText } from './answer-text.ts'
import { type PlainRequest, readPlainRequest } from './plain-request.ts'

export type FastPath = ReturnType<typeof createFastPath>

/**
 * Serves connections whose requests are all plain (docs/fast-path.md), without the streams and objects that node:http
 * makes for each. At the first one that is not, the connection is node:http's for good.
 */
export function createFastPath(parts: {
  /** Handles a plain request, and calls `reply` once. Returns false if node:http must handle it instead. */
  handle: (request: PlainRequest, socket: Socket, reply: (answer: Answer) => void) => boolean
  /** Passes a connection to node:http, with what it has received. */
  handOver: (socket: Socket) => void
  isStopping: () => boolean
  /** Milliseconds that a connection may stay open without a request. */
  keepAliveMs: number
  /** Milliseconds until a connection that has sent nothing is handed to node:http. */
  firstRequestMs: number
}) {
  const { handle, handOver, isStopping, keepAliveMs, firstRequestMs } = parts
  const answerText = createAnswerText(keepAliveMs)
  /** For each connection, a function that closes it if it is idle. */
  const closers = new Set<() => void>()

  /** Serves a new connection, until it receives something that is not a plain request. */
  function take(socket: Socket): void {
    // A flag, not a set of idle sockets: a set that changes with each request leaves many old tables in the heap.
    let isIdle = true
    let hasEnded = false
    let isServed = false

    function onData(chunk: Buffer): void {
      if (!isIdle) {
        // The sender does not wait for its answer. This waits in the socket, which holds no more than one read.
        socket.pause()
        socket.unshift(chunk)
        return
      }
      isIdle = false
      // node:http limits what a sender may leave unread.
      const request = socket.writableLength > 0 ? null : readPlainRequest(chunk)
      if (request !== null && handle(request, socket, reply)) return
      socket.unshift(chunk)
      leave()
    }

    function reply(answer: Answer): void {
      if (socket.destroyed) return
      const closes = isStopping()
      socket.write(answerText(answer, closes))
      if (closes) {
        socket.destroySoon()
        return
      }
      if (hasEnded) {
        socket.end()
        return
      }
      isIdle = true
      if (!isServed) socket.setTimeout(keepAliveMs)
      isServed = true
      if (socket.isPaused()) socket.resume()
    }

    function leave(): void {
      closers.delete(closeIfIdle)
      socket.setTimeout(0)
      socket
        .off('data', onData)
        .off('end', onEnd)
        .off('error', onError)
        .off('timeout', onTimeout)
        .off('close', onClose)
      const wasPaused = socket.isPaused()
      handOver(socket)
      if (wasPaused) socket.resume()
    }

    function onEnd(): void {
      hasEnded = true
      if (isIdle) socket.end()
    }
    function onTimeout(): void {
      // An answer may be pending longer, however slow the disk is.
      if (!isIdle) return
      if (isServed) socket.destroy()
      else leave()
    }
    const onError = () => socket.destroy()
    const onClose = () => void closers.delete(closeIfIdle)
    const closeIfIdle = () => {
      if (isIdle) socket.destroy()
    }

    closers.add(closeIfIdle)
    socket
      .on('data', onData)
      .on('end', onEnd)
      .on('error', onError)
      .on('timeout', onTimeout)
      .on('close', onClose)
    socket.setTimeout(firstRequestMs)
  }

  return {
    take,
    /** Closes the connections without an unanswered request. */
    closeIdle() {
      for (const closeIfIdle of closers) closeIfIdle()
    },
  }
}
