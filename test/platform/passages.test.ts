import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

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
