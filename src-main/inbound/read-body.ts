import type { IncomingMessage } from 'node:http'
import { createGrowingBuffer, type GrowingBuffer } from '#main/lib/growing-buffer.ts'

/** A body that still arrives, as far as its memory goes. */
type ArrivingBody = {
  /** Bytes of memory that it holds. */
  held: number
  /** Ends it, since the memory is needed: the sender is told 503. */
  readonly giveUp: () => void
}

/** The memory of all inbound bodies that are under way: arriving, or waiting to be stored. */
export type BodyMemory = {
  /**
   * Has a body hold so many bytes from now on.
   *
   * @returns false when it has been given up instead, or was before.
   */
  hold(body: ArrivingBody, bytes: number): boolean
  /** Lets go of what a body holds; it may be called again. */
  release(body: ArrivingBody): void
  /** Takes memory for a body that has arrived whole. @returns false when there is none left. */
  take(bytes: number): boolean
  free(bytes: number): void
  /** Bytes held now. */
  readonly used: number
}

/**
 * Bounds the memory of the bodies under way over all connections. When it is used up, the body that has been
 * arriving longest gives way, so that senders who drip their bodies cannot shut out those who do not: pausing
 * them instead would leave the memory with those who dripped first. A body that arrives in one piece holds
 * nothing until it waits to be stored.
 *
 * @param limit bytes, asked for each time.
 */
export function createBodyMemory(limit: () => number): BodyMemory {
  /** In the order in which they began. */
  const arriving = new Set<ArrivingBody>()
  let used = 0

  function release(body: ArrivingBody): void {
    if (!arriving.delete(body)) return
    used -= body.held
    body.held = 0
  }

  /** Gives up the oldest until there is room; all of them at most. */
  function makeRoom(bytes: number): boolean {
    for (const body of arriving) {
      if (used + bytes <= limit()) return true
      release(body)
      body.giveUp()
    }
    return used + bytes <= limit()
  }

  return {
    hold(body, bytes) {
      arriving.add(body)
      const more = bytes - body.held
      if (!makeRoom(more) || !arriving.has(body)) {
        if (arriving.has(body)) {
          release(body)
          body.giveUp()
        }
        return false
      }
      used += more
      body.held = bytes
      return true
    },
    release,
    take(bytes) {
      if (!makeRoom(bytes)) return false
      used += bytes
      return true
    },
    free(bytes) {
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
  /** The value of Content-Length, where there is one. */
  readonly declared?: string | undefined
  /** Bounds the sum of all bodies; none for a server that has few connections. */
  readonly memory?: BodyMemory
  /** Called for each chunk of a body that does not come in one. */
  readonly onChunk?: () => void
}

/** A body that arrived whole, or why it was given up. */
export type ReadBody = Buffer | 'too large' | 'out of memory'

/**
 * Collects a body. `done` gets it once it has arrived whole, or as soon as it is given up; neither when the
 * sender goes away, for then there is nobody to answer and nothing to keep.
 */
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

/** What is known of a body that was let run out. */
type DrainedBody = {
  /** Its beginning, as far as it is kept. */
  readonly kept: Buffer
  /** Bytes that arrived. */
  readonly bytes: number
  /** Whether it ended within the limit. */
  readonly isWhole: boolean
}

type DrainOptions = {
  readonly maxBytes: number
  readonly keep: number
  /** Called for each chunk behind the first. */
  readonly onChunk: () => void
}

/**
 * Lets a body run out and keeps only its beginning. `done` is told once it has ended, is larger than
 * `maxBytes`; never when the sender goes away.
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
    // A copy, since a slice would keep the whole chunk alive.
    if (room > 0) start.append(chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room)))
    if (bytes <= maxBytes) return
    isOver = true
    done({ kept: start.take(), bytes, isWhole: false })
  })
  request.on('end', () => {
    if (!isOver) done({ kept: start.take(), bytes, isWhole: true })
  })
}
