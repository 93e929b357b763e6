import type { Socket } from 'node:net'
import type { Answer } from '../answers.ts'
import { createAnswerText } from './answer-text.ts'
import { type PlainRequest, readPlainRequest } from './plain-request.ts'

export type FastPath = {
  /** Serves a new connection, until it receives something that is not a plain request. */
  take(socket: Socket): void
  /** Closes the connections without an unanswered request. */
  closeIdle(): void
}

type FastPathParts = {
  /** Handles a plain request, and calls `reply` once. Returns false if node:http must handle it instead. */
  handle: (request: PlainRequest, socket: Socket, reply: (answer: Answer) => void) => boolean
  /** Passes a connection to node:http, with what it has received. */
  handOver: (socket: Socket) => void
  isStopping: () => boolean
  /** Milliseconds that a connection may stay open without a request. */
  keepAliveMs: number
  /** Milliseconds until a connection that has sent nothing is handed to node:http. */
  firstRequestMs: number
}

/**
 * Serves connections whose requests are all plain (docs/fast-path.md), without the streams and objects that node:http
 * makes for each. At the first one that is not, the connection is node:http's for good.
 */
export function createFastPath(parts: FastPathParts): FastPath {
  const { handle, handOver, isStopping, keepAliveMs, firstRequestMs } = parts
  const answerText = createAnswerText(keepAliveMs)
  const idle = new Set<Socket>()

  function take(socket: Socket): void {
    let hasEnded = false
    let isServed = false

    function onData(chunk: Buffer): void {
      if (!idle.has(socket)) {
        // The sender does not wait for its answer. This waits in the socket, which holds no more than one read.
        socket.pause()
        socket.unshift(chunk)
        return
      }
      idle.delete(socket)
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
      idle.add(socket)
      if (!isServed) socket.setTimeout(keepAliveMs)
      isServed = true
      if (socket.isPaused()) socket.resume()
    }

    function leave(): void {
      idle.delete(socket)
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
      if (idle.has(socket)) socket.end()
    }
    function onTimeout(): void {
      // An answer may be pending longer, however slow the disk is.
      if (!idle.has(socket)) return
      if (isServed) socket.destroy()
      else leave()
    }
    const onError = () => socket.destroy()
    const onClose = () => void idle.delete(socket)

    idle.add(socket)
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
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
