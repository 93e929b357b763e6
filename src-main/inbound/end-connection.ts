import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import { rawRefusal, refusalAnswer } from './answers.ts'
import type { OpenConnections } from './open-connections.ts'

/** How long a refused sender may go on sending before its connection is closed, in milliseconds. */
export const lingerMs = 2000

/** What node:http tells of a connection that it cannot go on with. */
export function onClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  connections: OpenConnections,
): void {
  const code = codeOf(error)
  if (code === null) socket.destroy()
  else endConnection(code, socket, connections)
}

/**
 * Ends a connection on which something came that is no request, or came too slowly: with a refusal, behind
 * the answers to the requests before it.
 */
export function endConnection(code: InboundErrorCode, socket: Socket, connections: OpenConnections): void {
  const connection = connections.of(socket)
  if (connection === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  // The parser reports its error again for all that arrives behind it; that is how it is let run out.
  if (connection.ending) return
  connection.ending = true
  const { newest } = connection
  const refusal = rawRefusal(code)
  if (newest === null) endSocket(socket, refusal)
  else if (newest.req.complete) whenFinished(newest, () => endSocket(socket, refusal))
  else if (newest.headersSent) {
    // The request was refused before its body went wrong: it has its answer.
    if (!newest.writableEnded) newest.end()
    whenFinished(newest, () => endSocket(socket, ''))
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

/** A socket closed with unread bytes is reset, which can destroy the answer before the sender has read it. */
function endSocket(socket: Socket, refusal: string): void {
  if (!socket.writable) return
  socket.end(refusal)
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Null where there is nobody left to answer. */
function codeOf({ code }: NodeJS.ErrnoException): InboundErrorCode | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  return code?.startsWith('HPE_') ? 'malformed_request' : null
}
