import { createReadStream } from 'node:fs'
import type { StoredPassage } from '../knowledge.ts'

/** Passages, and about how many characters, that are written at once: making their words delays all else. */
const chunkRows = 100
const chunkCharacters = 16 * 1024

/** A passage as the reader of files has written it, which is numbered by its place. */
export type Passage = Omit<StoredPassage, 'index'>

/** Yields what the reader of a file has written, one passage in a line. */
export async function* passagesIn(path: string): AsyncGenerator<Passage> {
  let rest = ''
  for await (const text of createReadStream(path, 'utf8')) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [first, last, passage]: readonly unknown[] = JSON.parse(line)
      yield { first: Number(first), last: Number(last), text: String(passage) }
    }
  }
}

/** Yields the same, as many at once as are written at once. */
export async function* chunksOf(passages: AsyncIterable<Passage>): AsyncGenerator<Passage[]> {
  let chunk: Passage[] = []
  let characters = 0
  for await (const passage of passages) {
    chunk.push(passage)
    characters += passage.text.length
    if (chunk.length < chunkRows && characters < chunkCharacters) continue
    yield chunk
    chunk = []
    characters = 0
  }
  if (chunk.length > 0) yield chunk
}
