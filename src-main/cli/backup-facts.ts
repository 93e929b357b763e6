import type { Manifest } from '#main/backup/manifest.ts'

/** What `--json` says of a backup. */
export function backupFacts({ createdAt, productVersion, dataKey, files }: Manifest) {
  return { createdAt, productVersion, dataKey, files: files.map(({ name, bytes }) => ({ name, bytes })) }
}
