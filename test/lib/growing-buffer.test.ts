import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readPieces, TooLongError } from '#main/lib/growing-buffer.ts'

/** Bytes in memory of their own. */
const own = (bytes: number, fill: number) => Buffer.allocUnsafeSlow(bytes).fill(fill)
const chunks = () => [
  ...[own(3, 1), own(70_000, 2), own(1, 3), own(200_000, 4).subarray(5), own(16 * 1024, 5)],
  ...Array.from({ length: 5000 }, (_, index) => own(1, index)),
]

test('reads a stream into pieces that share no memory', async () => {
  const pieces = await readPieces(Readable.from(chunks()), 1024 * 1024)
  expect(Buffer.concat(pieces).equals(Buffer.concat(chunks()))).toBe(true)
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(pieces.length)
  expect(pieces.length).toBeLessThan(20)
  expect(await readPieces(Readable.from([]), 1)).toEqual([])
})

test('refuses a stream that is too long', async () => {
  const bytes = Buffer.concat(chunks()).length
  await expect(readPieces(Readable.from(chunks()), bytes - 1)).rejects.toThrow(TooLongError)
  expect(Buffer.concat(await readPieces(Readable.from(chunks()), bytes)).length).toBe(bytes)
})
