import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../src-main')

/** Returns the file names of the bundles of all worker threads, as the source names them. */
export function workerBundles(): string[] {
  const texts = globSync('**/*.ts', { cwd: folder }).map(path => readFileSync(join(folder, path), 'utf8'))
  const names = texts.flatMap(text =>
    [...text.matchAll(/(?:workerUrl|new ThreadLink(?:<\w+>)?)\('([\w-]+)'/g)].map(([, name]) => name),
  )
  return [...new Set(names)].map(name => `${name}.js`)
}
