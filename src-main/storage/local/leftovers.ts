import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { markName } from './config-mark.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { restoreSiblings } from './pending-restore.ts'

/** The copies that migrations keep of older configurations, such as `config.v2.json` and `config.v2-2.json`. */
const oldVersion = /^config\.v\d+(-\d+)?\.json$/

/**
 * Deletes the temporary files that a killed process has left in a data folder, and what a killed restore has left beside
 * it. This process must hold the folder. Call it after the configuration has been read: until then, a temporary file
 * could be its only good copy. A file that cannot be deleted stays.
 */
export async function removeLeftovers(paths: DataFolderPaths): Promise<void> {
  const { path, configFile, statisticsFile, keyFile, adminTokenFile, serviceFile } = paths
  const { sessionsFile, callLimitsFile, sampleFile } = paths
  const files = [
    statisticsFile,
    keyFile,
    adminTokenFile,
    sessionsFile,
    callLimitsFile,
    sampleFile,
    serviceFile,
  ]
  const written = files.map(file => basename(file))
  const configName = basename(configFile)
  const owned = new Set([
    ...written,
    ...[configName, `${configName}.bak`, basename(markName(configFile)), 'desktop.json'],
  ])
  const isOwned = (name: string) =>
    owned.has(name) || oldVersion.test(name) || name.startsWith(`${configName}.journal-`)
  const isLeft = (name: string) => name.endsWith('.tmp') && isOwned(name.slice(0, -4))
  const names = await readdir(path).catch(() => [])
  for (const name of names.filter(isLeft)) await rm(join(path, name)).catch(() => {})
  const { unpacking, ready } = restoreSiblings(path)
  for (const folder of [unpacking, ready]) await rm(folder, { recursive: true, force: true }).catch(() => {})
}
