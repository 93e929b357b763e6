/**
 * Returns the URL of a worker's entry file, in the folder of the file that starts it: `.ts` from source, `.js` in
 * the bundle, which has one folder for all files.
 *
 * @param startedBy `import.meta.url` of that file.
 */
export function workerUrl(name: string, startedBy: string): URL {
  const extension = startedBy.endsWith('.ts') ? '.ts' : '.js'
  return new URL(`./${name}${extension}`, startedBy)
}
