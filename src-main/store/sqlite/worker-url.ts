/** @returns where a worker's entry file lies: beside this file, `.ts` from source and `.js` in the bundle. */
export function workerUrl(name: string): URL {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
  return new URL(`./${name}${extension}`, import.meta.url)
}
