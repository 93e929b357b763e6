import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type InstallOptions = {
  /** The npm package of Electron. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Milliseconds without any progress after which it is given up. */
  readonly stallMs: number
  /** Told how many bytes there are so far, whenever there are more. */
  readonly onProgress: (bytes: number) => void
}

/** Milliseconds between two looks at what has arrived. */
const lookEvery = 250

/**
 * Runs the package's own installer, which takes the binary from its cache or from the network. Progress is
 * what grows: the files it downloads to, those it unpacks, and what it says.
 *
 * @returns null when it has ended well, else why not, in a few words.
 */
export async function installElectron(options: InstallOptions): Promise<string | null> {
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

/** What the installer printed of its error; its stack is for its makers. */
function lastReason(said: string): string {
  const line = said.split('\n').find(text => /\S/.test(text) && !/^\s+at /.test(text))
  return line?.trim() ?? 'its installer failed'
}

async function sizeBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter(entry => entry.isFile())
      // It may be gone again.
      .map(entry =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
