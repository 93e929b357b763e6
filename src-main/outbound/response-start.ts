import type { Socket } from 'node:net'
import { errors } from 'undici'
import { createGrowingBuffer } from '#main/lib/growing-buffer.ts'

/** Interim responses (1xx) that may precede one response, and their bytes together. */
const maxInterim = 20
const maxInterimBytes = 64 * 1024

/** Bytes of a head that are kept to explain why it is malformed. */
const maxOpening = 16 * 1024

/** The server has switched to another protocol (101), which no call asks for. */
export class SwitchedProtocolError extends Error {}

/** A status line up to the character after the status. What is missing at the end of a shorter one is taken from it. */
const sample = 'HTTP/1.1 100 '
const interimLine = /^HTTP\/\d\.\d 1\d\d[ \r\n]/

const none = Buffer.alloc(0)
const lf = 0x0a
const cr = 0x0d

/** The beginning of each response on a connection. */
export type ResponseStart = ReturnType<typeof createResponseStart>

/**
 * Drops the interim responses (1xx) that precede a response, because undici fails the call at a 100 that was not asked
 * for and at one with `Connection: close`. Each byte is looked at once, and the body passes without a look.
 */
export function createResponseStart() {
  const opening = createGrowingBuffer(maxOpening)
  let place: 'status' | 'interim' | 'head' | 'body' = 'status'
  /** The beginning of a status line that may be one of an interim response. */
  let held = none
  let hasBegun = false
  let isLineEmpty = false
  let interimBytes = 0
  let interims = 0

  function skip(bytes: number): void {
    interimBytes += bytes
    if (interims > maxInterim || interimBytes > maxInterimBytes) throw new errors.HeadersOverflowError()
  }

  /** Returns what follows an interim head that goes on in the chunk. Its lines may end without CR. */
  function afterHead(chunk: Buffer): Buffer {
    let at = 0
    while (at < chunk.length && place === 'interim') {
      const byte = chunk[at++]
      if (byte === lf && isLineEmpty) place = 'status'
      else if (byte !== cr) isLineEmpty = byte === lf
    }
    skip(at)
    return chunk.subarray(at)
  }

  /** Returns the chunk with what was held back, unless it can still become an interim response. */
  function atStatus(chunk: Buffer): Buffer {
    // Empty lines before a status line are ignored, as the parser does.
    let empty = 0
    if (held.length === 0) while (chunk[empty] === cr || chunk[empty] === lf) empty++
    skip(empty)
    const line = held.length === 0 ? chunk.subarray(empty) : Buffer.concat([held, chunk])
    const start = line.toString('latin1', 0, sample.length)
    held = none
    if (!interimLine.test(start + sample.slice(start.length))) place = 'head'
    else if (start.length < sample.length) {
      held = Buffer.from(line)
      return none
    } else if (start.includes(' 101')) throw new SwitchedProtocolError()
    else {
      interims++
      place = 'interim'
      isLineEmpty = false
    }
    return line
  }

  function withoutInterims(chunk: Buffer): Buffer {
    let rest = chunk
    while (rest.length > 0 && (place === 'status' || place === 'interim'))
      rest = place === 'status' ? atStatus(rest) : afterHead(rest)
    return rest
  }

  function passHead(piece: Buffer): Buffer {
    const room = maxOpening - opening.size
    if (place === 'head' && room > 0 && piece.length > 0) opening.append(piece.subarray(0, room))
    return piece
  }

  return {
    /** Begins the next response, as its request is sent. */
    begin(): void {
      place = 'status'
      held = none
      hasBegun = false
      opening.take()
      interimBytes = 0
      interims = 0
    },
    /**
     * Returns what the parser gets of a chunk.
     *
     * @throws HeadersOverflowError, SwitchedProtocolError.
     */
    pass(chunk: Buffer): Buffer {
      hasBegun = true
      return place === 'body' ? chunk : passHead(withoutInterims(chunk))
    },
    /** Returns whether any byte has arrived since the request was sent. */
    hasBegun: (): boolean => hasBegun,
    /** Returns the bytes that were held back, as nothing follows. */
    end(): Buffer {
      const last = held
      held = none
      place = 'head'
      return passHead(last)
    },
    /** Notes that the parser has read the head. */
    endHead(): void {
      place = 'body'
      opening.take()
    },
    /** Returns the first 16 KiB of the head, as long as the parser has not read it. */
    opening: (): Buffer => opening.take(),
  }
}

/** Lets all that arrives on a socket pass through `start`. Node pushes each chunk once, in order; null is the end. */
export function watchStart(socket: Socket, start: ResponseStart): void {
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) {
      const last = start.end()
      if (last.length > 0) push(last)
      return push(chunk, encoding)
    }
    try {
      return push(start.pass(chunk))
    } catch (error) {
      socket.destroy(error instanceof Error ? error : undefined)
      return false
    }
  }
}
