/**
 * Returns where a worker's entry file is: beside the file that starts it, `.ts` from source and `.js` in the
 * bundle, whose files are all in one folder.
 *
 * @param startedBy `import.meta.url` of that file.
 */
export function workerUrl(name: string, startedBy: string): URL {
  const extension = startedBy.endsWith('.ts') ? '.ts' : '.js'
  return new URL(`./${name}${extension}`, startedBy)
}
