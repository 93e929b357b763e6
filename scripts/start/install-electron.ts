import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds between two checks of the progress. */
const lookEvery = 250

/**
 * Runs the package's own installer, which gets the binary from its cache or the network. Measures progress by the size of
 * the downloaded files, the unpacked files and the output. Returns null on success, otherwise the reason in a few words.
 */
export async function installElectron(options: {
  /** The npm package of Electron. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Gives up after this many milliseconds without progress. */
  readonly stallMs: number
  /** Called with the number of bytes so far, whenever it grows. */
  readonly onProgress: (bytes: number) => void
}): Promise<string | null> {
  const { folder, env, stallMs, onProgress } = options
  const downloads = await mkdtemp(join(tmpdir(), 'custom-connection-electron-'))
  const child = spawn(process.execPath, [join(folder, 'install.js')], {
    env: { ...env, TMPDIR: downloads, TEMP: downloads, TMP: downloads },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })

  let isStalled = false
  let isOver = false
  let most = -1
  let lastProgress = performance.now()
  let timer: NodeJS.Timeout | undefined
  async function measure(): Promise<void> {
    const bytes = (await sizeBelow(downloads)) + (await sizeBelow(join(folder, 'dist')))
    if (bytes + said.length > most) {
      if (most >= 0) lastProgress = performance.now()
      most = bytes + said.length
      onProgress(bytes)
    }
  }
  async function look(): Promise<void> {
    await measure()
    if (performance.now() - lastProgress > stallMs) {
      isStalled = true
      child.kill('SIGKILL')
    } else if (!isOver) timer = setTimeout(() => void look(), lookEvery)
  }
  void look()
  try {
    const code = await ended
    await measure()
    if (isStalled) return `nothing arrived for ${Math.round(stallMs / 1000)} seconds`
    return code === 0 ? null : lastReason(said)
  } finally {
    isOver = true
    clearTimeout(timer)
    await rm(downloads, { recursive: true, force: true })
  }
}

/** Returns the first line of the installer's output that is not part of a stack. */
function lastReason(said: string): string {
  const line = said.split('\n').find(text => /\S/.test(text) && !/^\s+at /.test(text))
  return line?.trim() ?? 'its installer failed'
}

async function sizeBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter(entry => entry.isFile())
      // The file may have been deleted meanwhile.
      .map(entry =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
