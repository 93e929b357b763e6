import { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createImportBodies } from '#main/http/import-bodies.ts'
import { shareOfThisThread } from '../support/cpu-ms.ts'

const pieces = (text: string) => [Buffer.from(new TextEncoder().encode(JSON.stringify({ text })).buffer)]

test('the thread that reads bodies does the work instead of the main thread', async () => {
  const bodies = createImportBodies()
  onTestFinished(() => bodies.stop())
  const body = pieces(`${'{"a":["b"]},'.repeat(1_000_000)}`)
  await bodies.read(pieces('x'), undefined, new Socket())
  const share = await shareOfThisThread(() => bodies.read(body, undefined, new Socket()))
  expect(share).toBeLessThan(0.5)
})
