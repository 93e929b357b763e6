import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { errnoOf } from '#main/lib/file-system.ts'

/**
 * All files of a folder and those below it, byte for byte as Latin-1, by name; but for those that hold a secret on
 * purpose, and those that a running service deletes meanwhile.
 */
export async function filesBelow(folder: string, ...onPurpose: string[]): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const read = entries
    .filter(entry => entry.isFile() && !onPurpose.includes(entry.name))
    .map(async ({ name, parentPath }): Promise<[string, string][]> => {
      try {
        return [[name, await readFile(join(parentPath, name), 'latin1')]]
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return []
        throw error
      }
    })
  return (await Promise.all(read)).flat()
}

/** Both by what they are called in the report: no place may hold a secret, in any form. */
export function expectNowhere(
  secrets: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, string>,
): void {
  for (const [what, secret] of secrets)
    for (const form of formsOf(secret))
      for (const [place, content] of places) expect(content.includes(form), `${what} in ${place}`).toBe(false)
}

/** It also counts as leaked without its prefix, encoded, or in part. */
function formsOf(credential: string): string[] {
  const bare = credential.replace(/^whsec_/, '')
  const bytes = Buffer.from(credential)
  return [
    bare,
    bare.slice(0, 16),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(bare, 'base64url').toString('hex'),
  ]
}
