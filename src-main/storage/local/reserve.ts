import { randomFillSync } from 'node:crypto'
import { rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ifThere, isDiskFull, messageOf } from '#main/lib/file-system.ts'

const mebibyte = 1024 * 1024
/** Bytes of the reserve: a deletion writes before it frees space. */
export const reserveBytes = 16 * mebibyte
const smallest = mebibyte
/** The reserve uses at most a quarter of the free space. */
const part = 4
/** If a start cannot write this many bytes, the disk counts as full. */
const neededAtStart = 256 * 1024
const renewEveryMs = 5000

/**
 * A file that reserves disk space. When a deletion of events or a change of the configuration finds the disk full, the
 * file is removed. It is written again when there is enough space.
 */
export type Reserve = Awaited<ReturnType<typeof openReserve>>

/** The file system calls of the reserve; a test makes them report a full disk. */
type ReserveFiles = {
  writeFile(path: string, bytes: Uint8Array): Promise<void>
  /** Returns this user's free bytes on the disk of a folder. */
  freeBytes(folder: string): Promise<number>
}

const systemReserveFiles: ReserveFiles = {
  writeFile: (path, bytes) => writeFile(path, bytes, { mode: 0o600 }),
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
}

/**
 * Opens the reserve of a data folder that this process holds. If the disk is already full, the reserve is released, so
 * that the service can start; `isFullAtStart` says whether even that made too little room.
 *
 * @param onChange receives a sentence when it is released and when it is back.
 * @param bytes the most bytes to reserve; 0 for none.
 */
export async function openReserve(
  file: string,
  onChange: (notice: string) => void,
  bytes: number = reserveBytes,
  files: ReserveFiles = systemReserveFiles,
) {
  const unfinished = `${file}.tmp`
  let released = false
  let stopped = false
  let timer: NodeJS.Timeout | null = null
  let renewing: Promise<void> = Promise.resolve()

  async function sizeNow(): Promise<number> {
    return (await ifThere(stat(file)))?.size ?? 0
  }

  /** Writes the file as large as the disk allows. File systems may store zeros without taking room, so it is random. */
  async function renew(): Promise<void> {
    const present = await sizeNow()
    const free = (await files.freeBytes(dirname(file))) + present
    const size = Math.min(bytes, Math.floor(free / part))
    if (size < smallest || size < 2 * present) {
      released &&= present === 0
      return
    }
    try {
      await files.writeFile(unfinished, randomFillSync(new Uint8Array(size)))
      await rename(unfinished, file)
      if (released) onChange('The disk has room again; the reserve of the data folder is back.')
      released = false
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      if (!isDiskFull(error))
        onChange(`The reserve of the data folder cannot be written: ${messageOf(error)}`)
    }
  }

  function renewLater(): void {
    if (stopped || timer !== null) return
    timer = setTimeout(() => {
      timer = null
      renewing = renew().catch(() => {})
      void renewing.then(() => released && renewLater())
    }, renewEveryMs)
    timer.unref()
  }

  /** Removes the file. Returns whether this freed any space. */
  async function release(): Promise<boolean> {
    await renewing
    const present = await sizeNow()
    if (present === 0) return false
    await rm(file, { force: true })
    released = true
    onChange(
      'The disk of the data folder is full; its reserve was deleted. Delete events or free some space.',
    )
    renewLater()
    return true
  }

  const probe = `${file}.probe`
  // A kill may have left it. It takes space that the service may need to start.
  await rm(unfinished, { force: true }).catch(() => {})
  /** Returns whether the disk is too full to start. */
  async function isTooFull(): Promise<boolean> {
    try {
      await files.writeFile(probe, new Uint8Array(neededAtStart))
      return false
    } catch (error) {
      return isDiskFull(error)
    } finally {
      await rm(probe, { force: true }).catch(() => {})
    }
  }
  let isFull = await isTooFull()
  if (isFull && (await release())) isFull = await isTooFull()
  else if (!isFull) renewing = renew().catch(() => {})

  return {
    release,
    /** Returns whether the disk was so full at the start that not even a small file could be written. */
    isFullAtStart: () => isFull,
    /** Returns whether the room was freed and could not be reserved again yet. */
    isReleased: () => released,
    /** Stops changing the file. */
    async stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
      await renewing
    },
  }
}
