import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'
import { newFolder } from '../storage/config-fixtures.ts'

test.skipIf(process.platform !== 'linux')('leaves no file open that it refuses', async () => {
  const path = join(await newFolder(), 'file')
  await writeFile(path, '   \n')
  const open = async () => (await readdir('/proc/self/fd')).length
  const before = await open()
  for (let n = 0; n < 20; n++) {
    const job = { path, textPath: `${path}.${n}`, name: 'blank.txt' }
    await expect(readKnowledgeFile(job)).rejects.toMatchObject({ code: 'empty_file' })
  }
  expect(await open()).toBeLessThan(before + 20)
})
