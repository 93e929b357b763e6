import type { IncomingMessage } from 'node:http'

const empty = Buffer.alloc(0)

/**
 * Collects a body of at most `maxBytes`. `done` gets it once it has arrived whole, or null as soon as it
 * is larger; neither when the sender goes away, for then there is nobody to answer and nothing to keep.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | null) => void,
): void {
  // Nearly every body arrives as one chunk, which needs no list and no copy.
  let first: Buffer = empty
  let more: Buffer[] | null = null
  let size = 0
  let tooLarge = false
  request.on('data', (chunk: Buffer) => {
    if (tooLarge) return
    size += chunk.length
    if (size > maxBytes) {
      tooLarge = true
      first = empty
      more = null
      done(null)
    } else if (first === empty) first = chunk
    else if (more === null) more = [first, chunk]
    else more.push(chunk)
  })
  request.on('end', () => {
    if (!tooLarge) done(more === null ? first : Buffer.concat(more, size))
  })
}
