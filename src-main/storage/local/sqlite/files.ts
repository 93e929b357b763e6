import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs'

/** Suffixes of a database file and SQLite's files beside it. */
export const suffixes = ['', '-wal', '-shm'] as const

/** Creates the file, or changes it, to mode 0600. SQLite gives the files beside it the same mode. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
  for (const suffix of suffixes) if (existsSync(file + suffix)) chmodSync(file + suffix, 0o600)
}

/** Returns the size of a file in bytes; null if it does not exist. */
export function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null
}

/** Renames a damaged database and the files beside it. Returns the new name. @param time ms since 1970. */
export function setAside(file: string, time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(':', '-')
  let aside = `${file}.corrupt-${stamp}`
  for (let n = 2; existsSync(aside); n++) aside = `${file}.corrupt-${stamp}-${n}`
  for (const suffix of suffixes) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  return aside
}

/** Waits until the content of a file is on the disk. */
export function syncFile(file: string): void {
  const opened = openSync(file, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
