import { dirname } from 'node:path'
import { errnoOf, type FileSystem, linkOrCopy, syncFolder, writePrivately } from '#main/lib/file-system.ts'

/**
 * Replaces the content of `path` (mode 0600) atomically, and keeps the old content as `copyPath`. When it resolves, the
 * new content survives loss of power.
 *
 * @throws the file system's error; the old content is then in place.
 */
export async function replaceDurably(
  path: string,
  copyPath: string,
  content: string | AsyncIterable<Uint8Array>,
  fs: FileSystem,
): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writePrivately(temporary, content, fs)
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

/** Returns whether there was old content. */
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
    // On POSIX, a rename does nothing if both names are the same file.
    await fs.rm(temporary, { force: true }).catch(() => {})
  }
}

/** Restores the old content: the writer learns that the change failed, so a restart must not apply it. */
async function undo(path: string, copyPath: string | null, temporary: string, fs: FileSystem): Promise<void> {
  if (copyPath === null) {
    await fs.rm(path, { force: true })
    return
  }
  await linkOrCopy(copyPath, temporary, fs)
  await fs.rename(temporary, path)
}
