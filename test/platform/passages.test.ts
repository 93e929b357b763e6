import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readKnowledgeFile } from '#main/platform/knowledge/read-file.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'custom-connection-passages-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Files of at most 4 KiB stand for a disk on which a part of a write fits. */
test.skipIf(process.platform === 'win32')(
  'refuses a passage of which the disk takes only a part',
  async () => {
    const path = join(await folder(), 'passages')
    const module = new URL('../../src-main/platform/knowledge/passages.ts', import.meta.url)
    const script = `
    import { writePassages } from ${JSON.stringify(module.href)}
    const passages = writePassages(${JSON.stringify(path)}, 10_000)
    let outcome = 'stored'
    try {
      passages.add(1, '文'.repeat(1900))
      passages.close()
    } catch (error) {
      outcome = error.code
    }
    console.log(outcome)`
    const limited = [
      '-c',
      'ulimit -f 4; exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]
    const { stdout } = await promisify(execFile)('sh', limited)
    expect(stdout.trim()).toBe('storage_unavailable')
  },
)

test.skipIf(process.platform !== 'linux')('leaves no file open that it refuses', async () => {
  const path = join(await folder(), 'file')
  await writeFile(path, '   \n')
  const open = async () => (await readdir('/proc/self/fd')).length
  const before = await open()
  for (let n = 0; n < 20; n++) {
    const job = { path, textPath: `${path}.${n}`, name: 'blank.txt' }
    await expect(readKnowledgeFile(job)).rejects.toMatchObject({ code: 'empty_file' })
  }
  expect(await open()).toBeLessThan(before + 20)
})
