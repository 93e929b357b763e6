import type { IncomingMessage } from 'node:http'
import { createGrowingBuffer, type GrowingBuffer } from '#main/lib/growing-buffer.ts'

/** The memory of a body that is still arriving. */
type ArrivingBody = {
  /** Bytes that it holds. */
  held: number
  /** Drops the body because its memory is needed. The sender gets 503. */
  readonly giveUp: () => void
}

/** The memory of all inbound bodies that are arriving or waiting to be stored. */
export type BodyMemory = ReturnType<typeof createBodyMemory>

/**
 * Limits the memory of all bodies in progress. When the limit is reached, the body that has been arriving longest is
 * given up, so slow senders cannot shut out others. Pausing bodies instead would leave the memory to the slow senders
 * that came first. A body that arrives in one piece holds nothing until it waits to be stored.
 *
 * @param limit returns the current limit in bytes.
 */
export function createBodyMemory(limit: () => number) {
  /** Oldest first. */
  const arriving = new Set<ArrivingBody>()
  let used = 0

  /** Releases the memory of a body. Idempotent. */
  function release(body: ArrivingBody): void {
    if (!arriving.delete(body)) return
    used -= body.held
    body.held = 0
  }

  /** Gives up bodies, the oldest first, until there is room. Returns whether there is. */
  function makeRoom(bytes: number): boolean {
    for (const body of arriving) {
      if (used + bytes <= limit()) return true
      release(body)
      body.giveUp()
    }
    return used + bytes <= limit()
  }

  return {
    /** Sets the number of bytes that a body holds. Returns false if the body was given up, now or earlier. */
    hold(body: ArrivingBody, bytes: number) {
      arriving.add(body)
      const more = bytes - body.held
      // If there is no room, makeRoom has given up every body, this one included.
      if (!makeRoom(more) || !arriving.has(body)) return false
      used += more
      body.held = bytes
      return true
    },
    release,
    /** Reserves memory for a complete body. Returns false if there is not enough. */
    take(bytes: number) {
      if (!makeRoom(bytes)) return false
      used += bytes
      return true
    },
    free(bytes: number) {
      used -= bytes
    },
    get used() {
      return used
    },
  }
}

const empty = Buffer.alloc(0)

type ReadBodyOptions = {
  readonly maxBytes: number
  /** The value of Content-Length, if any. */
  readonly declared?: string | undefined
  /** Limits the sum of all bodies. A server with few connections needs none. */
  readonly memory?: BodyMemory
  /** Called for each chunk, unless the body arrives in one. */
  readonly onChunk?: () => void
}

/** The complete body, or why it was given up. */
export type ReadBody = Buffer | 'too large' | 'out of memory'

/** Collects a body. Calls `done` once it is complete or given up, but not if the sender disconnects. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, declared, memory, onChunk }: ReadBodyOptions,
  done: (body: ReadBody) => void,
): void {
  const expected = declared === undefined ? maxBytes : Math.min(maxBytes, Number(declared))
  // Nearly every body arrives as one chunk, which needs no buffer and no copy.
  let whole: Buffer = empty
  let growing: GrowingBuffer | null = null
  let body: ArrivingBody | null = null
  let isOver = false

  function giveUp(reason: 'too large' | 'out of memory'): void {
    isOver = true
    growing = null
    if (body !== null) memory?.release(body)
    done(reason)
  }

  function collect(chunk: Buffer): void {
    onChunk?.()
    if (growing === null) {
      growing = createGrowingBuffer(expected)
      body = { held: 0, giveUp: () => giveUp('out of memory') }
      request.once('close', () => {
        isOver = true
        growing = null
        if (body !== null) memory?.release(body)
      })
    }
    if (growing.size + chunk.length > maxBytes) giveUp('too large')
    else if (body === null || memory?.hold(body, growing.capacityFor(chunk.length)) !== false)
      growing.append(chunk)
  }

  request.on('data', (chunk: Buffer) => {
    if (isOver) return
    if (growing === null && declared !== undefined && chunk.length === expected) whole = chunk
    else collect(chunk)
  })
  request.on('end', () => {
    if (isOver) return
    isOver = true
    const bytes = growing === null ? whole : growing.take()
    growing = null
    if (body !== null) memory?.release(body)
    done(bytes)
  })
}

type DrainedBody = {
  /** Its beginning, at most `keep` bytes. */
  readonly kept: Buffer
  /** Bytes received. */
  readonly bytes: number
  /** Whether it ended within the limit. */
  readonly isWhole: boolean
}

type DrainOptions = {
  readonly maxBytes: number
  readonly keep: number
  /** Called for each chunk after the first. */
  readonly onChunk: () => void
}

/**
 * Discards a body except for its beginning. Calls `done` once the body ends or exceeds `maxBytes`, but not if the
 * sender disconnects.
 */
export function drainBody(
  request: IncomingMessage,
  { maxBytes, keep, onChunk }: DrainOptions,
  done: (body: DrainedBody) => void,
): void {
  const start = createGrowingBuffer(keep)
  let bytes = 0
  let isOver = false
  request.on('data', (chunk: Buffer) => {
    if (bytes > 0) onChunk()
    if (isOver) return
    bytes += chunk.length
    const room = keep - start.size
    // A copy, because a slice would keep the whole chunk alive.
    if (room > 0) start.append(chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room)))
    if (bytes <= maxBytes) return
    isOver = true
    done({ kept: start.take(), bytes, isWhole: false })
  })
  request.on('end', () => {
    if (!isOver) done({ kept: start.take(), bytes, isWhole: true })
  })
}
