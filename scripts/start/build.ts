import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Builds the project of a folder. Returns whether it succeeded; the build prints what is wrong. */
export function build(root: string): Promise<boolean> {
  const electronVite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const child = spawn(process.execPath, [electronVite, 'build', '--logLevel', 'error'], {
    cwd: root,
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code === 0))
  })
}
