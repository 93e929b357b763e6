import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Writes an executable that stands for the packaged app: it runs the built app with the arguments, versions and paths
 * that Electron gives it.
 *
 * @param builtFolder `out/` of the build.
 * @returns the path of the executable.
 */
export function writeAppExecutable(folder: string, builtFolder: string): string {
  const file = join(folder, 'custom-connection.cjs')
  const main = pathToFileURL(join(builtFolder, 'main', 'index.js')).href
  const electron =
    'data:text/javascript,export const app = { isPackaged: true, exit: code => process.exit(code) }'
  writeFileSync(
    file,
    `#!${process.execPath}
const { registerHooks } = require('node:module')
registerHooks({
  resolve: (name, context, next) =>
    name === 'electron' ? { url: ${JSON.stringify(electron)}, shortCircuit: true } : next(name, context),
})
Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '45.4.1' } })
process.execPath = __filename
process.argv = [__filename, ...process.argv.slice(2)]
import(${JSON.stringify(main)})
`,
    { mode: 0o755 },
  )
  return file
}
