import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { createStagedFiles } from '#main/storage/staged-files.ts'

it('leaves no file behind whose bytes fail as it is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cc-staged-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = createStagedFiles(folder)
  const failing = () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('Cut.')) }),
  })
  // Other threads take turns with the one that opens the file, so that it could be opened after it was deleted.
  const busy = Array.from({ length: 3 }, () => new Worker('for (;;);', { eval: true }))
  onTestFinished(async () => void (await Promise.all(busy.map(one => one.terminate()))))
  for (let round = 0; round < 50; round++)
    await Promise.allSettled(Array.from({ length: 40 }, () => files.write(failing())))
  expect(readdirSync(folder)).toEqual([])
})
