import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The parts of the build, in the order in which electron-vite builds them. */
const parts = ['the service and the app', 'the bridge of the window', 'the dashboard']

/**
 * Builds the project of a folder. Returns whether it succeeded. Says which part it builds, and prints on stderr what is
 * wrong.
 *
 * @param say prints a line.
 */
export function build(root: string, say: (line: string) => void): Promise<boolean> {
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const child = spawn(process.execPath, [electronVite, 'build'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  const progress = createProgress()
  const printed: string[] = []
  createInterface(child.stdout).on('line', line => {
    printed.push(line)
    const shown = progress(line)
    if (shown !== null) say(shown)
  })
  // Warnings are for those who change the build.
  createInterface(child.stderr).on('line', line => void printed.push(line))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      if (code !== 0) process.stderr.write(`${printed.join('\n')}\n`)
      resolve(code === 0)
    })
  })
}

/** Returns a function that converts a line of the build's output to a line for people; null for most. */
export function createProgress(): (line: string) => string | null {
  let part = 0
  return line => {
    if (/\bbuilding .*for production/.test(line)) {
      part++
      return `Building ${parts[part - 1] ?? 'the rest'} (${part} of ${parts.length})…`
    }
    const [, modules] = /(\d+) modules transformed/.exec(line) ?? []
    return modules === undefined ? null : `  ${modules} modules read, writing files…`
  }
}
