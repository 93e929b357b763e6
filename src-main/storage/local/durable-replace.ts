import { dirname } from 'node:path'
import { errnoOf, type FileSystem, linkOrCopy, syncFolder, writePrivately } from '#main/lib/file-system.ts'

/**
 * Replaces the content of `path` (mode 0600) so that at any moment the old or the new one is there whole,
 * and keeps the old one as `copyPath`. When it resolves, the new one survives loss of power.
 * @throws what the file system throws; the old content is then in place.
 */
export async function replaceDurably(
  path: string,
  copyPath: string,
  text: string,
  fs: FileSystem,
): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writePrivately(temporary, text, fs)
    const hasCopy = await keepCopy(path, copyPath, fs)
    await fs.rename(temporary, path)
    await syncFolder(dirname(path), fs).catch(async error => {
      await undo(path, hasCopy ? copyPath : null, temporary, fs).catch(() => {})
      throw error
    })
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** @returns whether there was anything to keep. */
async function keepCopy(path: string, copyPath: string, fs: FileSystem): Promise<boolean> {
  const temporary = `${copyPath}.tmp`
  try {
    await linkOrCopy(path, temporary, fs)
    await fs.rename(temporary, copyPath)
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw error
  } finally {
    // POSIX lets a rename do nothing when both names already are the same file.
    await fs.rm(temporary, { force: true }).catch(() => {})
  }
}

/** The writer is told that the change failed: a restart must not bring it back. */
async function undo(path: string, copyPath: string | null, temporary: string, fs: FileSystem): Promise<void> {
  if (copyPath === null) {
    await fs.rm(path, { force: true })
    return
  }
  await linkOrCopy(copyPath, temporary, fs)
  await fs.rename(temporary, path)
}
