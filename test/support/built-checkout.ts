import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { projectFolder } from './cli-process.ts'

/** Copies the checkout to an empty folder, with everything built. Returns the folder. */
export function copyBuiltCheckout(folder: string): string {
  for (const path of ['package.json', 'package-lock.json', 'scripts', 'src-main', 'src-shared', 'resources'])
    cpSync(join(projectFolder, path), join(folder, path), { recursive: true })
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction')
  cpSync(inject('builtFolder'), join(folder, 'out'), { recursive: true })
  return folder
}

/** Returns the arguments of Node in a script of package.json. */
export const scriptArguments = (name: 'start' | 'serve') => packageJson.scripts[name].split(' ').slice(1)

/** The environment of a computer without a display. */
export const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '' }
