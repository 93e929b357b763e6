import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { rawRefusal, refusalAnswer } from './answers.ts'
import type { OpenConnections } from './open-connections.ts'

/**
 * Handles an error with which node:http gives up a connection.
 *
 * @param lingerMs how long its sender may continue to send.
 */
export function onClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: OpenConnections,
  lingerMs: number,
): void {
  const code = codeOf(error)
  if (code === null) socket.destroy()
  else endConnection(code, socket, connections, lingerMs)
}

/**
 * Closes a connection that sent a malformed or too slow request. Its refusal follows the answers to the earlier
 * requests.
 *
 * @param lingerMs how long its sender may continue to send.
 */
export function endConnection(
  code: InboundErrorCode,
  socket: Socket,
  connections: OpenConnections,
  lingerMs: number,
): void {
  const connection = connections.of(socket)
  if (connection === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  // The parser reports its error again for each later chunk, which drains the connection.
  if (connection.ending) return
  connection.ending = true
  const { newest } = connection
  const refusal = rawRefusal(code)
  if (newest === null) endSocket(socket, refusal, lingerMs)
  else if (newest.req.complete) whenFinished(newest, () => endSocket(socket, refusal, lingerMs))
  else if (newest.headersSent) {
    // The request was already refused, before the error in its body.
    if (!newest.writableEnded) newest.end()
    whenFinished(newest, () => endSocket(socket, '', lingerMs))
  } else {
    const { status, rawHeaders, body } = refusalAnswer(code)
    newest.shouldKeepAlive = false
    newest.writeHead(status, rawHeaders)
    newest.end(body)
  }
}

function whenFinished(response: ServerResponse, act: () => void): void {
  if (response.writableFinished) act()
  else response.once('finish', act)
}

/** Ends a socket after a delay: closing it with unread bytes resets it, which can destroy the answer on its way. */
function endSocket(socket: Socket, refusal: string, lingerMs: number): void {
  if (!socket.writable) return
  socket.end(refusal)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Returns the refusal for an error of node:http; null if the sender is gone. */
function codeOf({ code }: NodeJS.ErrnoException): InboundErrorCode | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  return code?.startsWith('HPE_') ? 'malformed_request' : null
}
