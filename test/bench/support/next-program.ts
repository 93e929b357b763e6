import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** The changes of a program to come, by file: texts of the sources, and their replacements. */
export type Edits = Readonly<Record<string, readonly (readonly [text: string, instead: string])[]>>

/** Copies the sources of this program to a new folder and changes them there. Returns the folder. */
export function copyProgram(edits: Edits): string {
  const folder = mkdtempSync(join(tmpdir(), 'custom-connection-program-'))
  for (const name of ['src-main', 'src-shared', 'resources', 'scripts', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, changes] of Object.entries(edits)) {
    let text = readFileSync(join(folder, name), 'utf8')
    for (const [part, instead] of changes) {
      if (!text.includes(part)) throw new Error(`${name} does not contain ${part}`)
      text = text.replace(part, () => instead)
    }
    writeFileSync(join(folder, name), text)
  }
  return folder
}

export function removeProgram(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
