import { readdirSync, readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { z } from 'zod'

const Package = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default('unknown'),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
})

const licensesFile = 'licenses.txt'

/**
 * Returns plugins that list the licenses of all bundled packages. `collect` collects the packages of one build. `write`
 * also collects its own, and writes the license texts of all of them.
 */
export function thirdPartyLicenses(root: string): { collect: () => Plugin; write: () => Plugin } {
  const folders = new Set<string>()
  const note = (id: string) => {
    const folder = packageFolder(id, root)
    if (folder !== null) folders.add(folder)
  }
  const plugin = (writes: boolean): Plugin => ({
    name: 'third-party-licenses',
    apply: 'build',
    generateBundle() {
      // From the module graph, because styles and fonts are not part of a chunk.
      for (const id of this.getModuleIds()) note(id)
      if (writes) this.emitFile({ type: 'asset', fileName: licensesFile, source: licensesText([...folders]) })
    },
    async writeBundle({ dir = '' }) {
      // Installers put this copy next to the program.
      if (writes) await copyFile(join(dir, licensesFile), join(dir, '..', licensesFile))
    },
  })
  return { collect: () => plugin(false), write: () => plugin(true) }
}

/** Returns the folder of the package that a module belongs to; null for the project's own. */
function packageFolder(id: string, root: string): string | null {
  // Vite adds its own helper to each bundle.
  if (id.startsWith('\0vite/')) return join(root, 'node_modules', 'vite')
  const path = id.replace(/^\0/, '').replaceAll('\\', '/').replace(/\?.*$/, '')
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null
}

function licensesText(folders: readonly string[]): string {
  // Two copies of the same version need only one entry.
  const texts = new Map<string, string>()
  for (const folder of folders) {
    const found = Package.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
    texts.set(`${found.name} ${found.version} (${found.license})`, licenseOf(folder, found))
  }
  const parts = [...texts].sort(([one], [other]) => (one < other ? -1 : 1))
  const line = '-'.repeat(80)
  return [
    'Custom Connection contains the following software of others, under these licenses.\n',
    ...parts.map(([title, text]) => `${line}\n${title}\n${line}\n\n${text.trim()}\n`),
  ].join('\n')
}

const named = /^(licen[cs]e|copying|notice|ofl)([.-].*)?$/i

/** Packages without a license text, and the one beside each that has the text of their repository. */
const siblings = new Map([['@ai-sdk/provider-utils', '../provider']])

/** Returns the license text of a package that does not contain the one of its repository; undefined for others. */
function keptText(name: string): string | undefined {
  if (name !== 'saxes') return undefined
  const holders = ['Contributors', 'Isaac Z. Schlueter and Contributors (sax, from which saxes was forked)']
  const notices = holders.map(holder => `Copyright (c) ${holder}`).join('\n')
  const part = 'String.fromCodePoint by Mathias Bynens is used under the MIT License.'
  return `The ISC License\n\n${notices}\n\n${isc}\n${part}\n\nCopyright Mathias Bynens <https://mathiasbynens.be/>\n\n${mit}`
}

/** Returns the license texts of a package. Without a file, returns the MIT text with the package's author. */
function licenseOf(folder: string, { name, license, author }: z.infer<typeof Package>): string {
  const source = join(folder, siblings.get(name) ?? '')
  const files = readdirSync(source).filter(name => named.test(name))
  if (files.length > 0)
    return files
      .sort()
      .map(name => readFileSync(join(source, name), 'utf8').trim())
      .join('\n\n')
  const kept = keptText(name)
  if (kept !== undefined) return kept
  const holder = typeof author === 'string' ? author : author?.name
  if (license === 'MIT' && holder !== undefined) return `MIT License\n\nCopyright (c) ${holder}\n\n${mit}`
  throw new Error(`${folder} has no license text: find out its license, and keep the text here.`)
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

const isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`
