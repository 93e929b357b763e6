import { mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '#main/lib/file-system.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { Housekeeping } from '#main/storage/housekeeping.ts'
import { ServiceError } from '#shared/errors.ts'
import type { BackupSchedule } from '#shared/model/backup.ts'
import type { BackupEntry, BackupList } from './backup-list.ts'
import { isDue, isFuture, nextTime } from './backup-times.ts'
import type { Backups } from './backups.ts'
import { saveBackup } from './save-backup.ts'

type ScheduledBackupsParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly backups: Backups
  readonly list: BackupList
  readonly housekeeping: Pick<Housekeeping, 'every'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Returns the time zone of the schedule's times. */
  readonly timeZone: () => string
  /** Receives why a backup failed, as a sentence. */
  readonly onProblem: (notice: string) => void
}

export type ScheduledBackups = ReturnType<typeof createScheduledBackups>

/** A check costs nothing while no backup is due. The clock may be set, or stand still while the computer sleeps. */
const step = { name: 'scheduled-backup', everyMs: 10_000, retryMs: 60_000 }

/** The entry of a backup from its begin on: what a kill leaves. */
const interrupted = 'The service ended before the backup was complete.'

/**
 * Makes the backups of `settings.backup`. Only files that the list of backups names are deleted: a folder may have those of
 * other services.
 */
export function createScheduledBackups(parts: ScheduledBackupsParts) {
  const { store, backups, list, housekeeping, clock, timeZone, onProblem } = parts
  const scheduleNow = () => store.snapshot().settings.backup
  /** At the start nobody knows when the schedule was set, but it was not changed later than the settings. */
  let since = Date.parse(store.snapshot().settings.updatedAt ?? new Date(0).toISOString())
  let lastTriedAt: number | null = null
  /** Null until the list was read; within it, null for never. */
  let lastGood: { at: number | null } | null = null
  const stopping = new AbortController()
  const stopFollowing = store.onChange(({ settings: { backup: next } }, { settings: { backup: before } }) => {
    if (isDeepStrictEqual(next, before)) return
    if (next?.every !== before?.every || next?.at !== before?.at) since = clock()
    // The problem may be solved.
    lastTriedAt = null
  })

  const ofSchedule = async () => (await list.list()).filter(({ source }) => source === 'schedule')

  /** Finds the last good backup. The first time, also completes what a killed process has left. */
  async function findLastGood({ folder }: BackupSchedule, now: number): Promise<{ at: number | null }> {
    const names: string[] = await readdir(folder).catch(() => [])
    for (const entry of await ofSchedule()) {
      const { label, ok } = entry
      if (ok || label === null) continue
      for (const name of names)
        if (name.startsWith(`${label}.`) && name.endsWith('.part'))
          await rm(join(folder, name), { force: true })
      // It has its name since it was verified.
      if (names.includes(label))
        await list.put({ ...entry, ok: true, error: null, bytes: (await stat(join(folder, label))).size })
    }
    return { at: (await ofSchedule()).find(({ ok, at }) => ok && !isFuture(at, now))?.at ?? null }
  }

  async function make({ folder, keep }: BackupSchedule, at: number): Promise<void> {
    const label = scheduledName(at)
    const failed: BackupEntry = { at, bytes: null, source: 'schedule', label, ok: false, error: interrupted }
    await list.begin(failed)
    try {
      const { stream } = await unlessAborted(backups.create(at), stopping.signal)
      const file = join(folder, label)
      const { bytes } = await saveBackup(stream, { file, force: false, signal: stopping.signal })
      const good = { ...failed, bytes, ok: true, error: null }
      await list.put(good)
      lastGood = { at }
      await prune(folder, keep, at).catch(error =>
        list.put({ ...good, error: `An old backup was not deleted: ${messageOf(error)}` }),
      )
    } catch (error) {
      if (stopping.signal.aborted) return
      onProblem(`The scheduled backup failed: ${messageOf(error)}`)
      await list.put({ ...failed, error: messageOf(error) })
    }
  }

  /** Deletes all but the newest. Those from the future were made before the newest one, while the clock was wrong. */
  async function prune(folder: string, keep: number, newest: number): Promise<void> {
    const names = new Set(await readdir(folder))
    const there = (await ofSchedule()).filter(({ ok, label }) => ok && label !== null && names.has(label))
    const [inOrder, fromFuture] = [
      there.filter(({ at }) => at <= newest),
      there.filter(({ at }) => at > newest),
    ]
    for (const { label } of [...inOrder, ...fromFuture].slice(keep))
      if (label !== null) await rm(join(folder, label), { force: true })
  }

  /** Makes a backup if one is due. Never rejects because it failed: the list says so. */
  async function check(): Promise<void> {
    const schedule = scheduleNow()
    const now = clock()
    if (schedule === null) return
    const isDueAfter = (lastGoodAt: number | null) =>
      isDue(schedule, { since, lastGoodAt, lastTriedAt }, now, timeZone())
    // The list is not read before it has to be.
    if (!isDueAfter(lastGood?.at ?? null)) return
    // The clock was set back, so an older one may be the last.
    if (lastGood?.at && isFuture(lastGood.at, now)) lastGood = null
    lastGood ??= await findLastGood(schedule, now)
    if (!isDueAfter(lastGood.at)) return
    lastTriedAt = now
    await make(schedule, now)
  }

  const stopStep = housekeeping.every(step, check)
  return {
    check,
    /** Returns the time of the next backup, in milliseconds since 1970; null without a schedule. */
    nextAt(): number | null {
      const schedule = scheduleNow()
      return schedule && nextTime(schedule, clock(), timeZone())
    },
    /** Ends a backup under way, of which nothing stays. */
    stop(): Promise<void> {
      stopFollowing()
      stopping.abort()
      return stopStep()
    },
  }
}

/** Returns the name of a backup's file: custom-connection-backup-20261130T020007123Z.tar.gz. @param at in ms since 1970. */
export function scheduledName(at: number): string {
  return `custom-connection-backup-${new Date(at).toISOString().replaceAll(/[-:.]/g, '')}.tar.gz`
}

/** Rejects when a signal aborts, although the copies are still being made. The next start deletes them. */
async function unlessAborted(
  creation: ReturnType<Backups['create']>,
  signal: AbortSignal,
): ReturnType<Backups['create']> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => {
    creation.then(
      ({ stream }) => stream.destroy(),
      () => {},
    )
    reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([creation, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Checks the folder of a schedule before it is saved.
 *
 * @throws ServiceError `invalid_input` at `backup.folder` if it is not there, or nothing can be written to it.
 */
export async function requireBackupFolder(folder: string): Promise<void> {
  if (!isAbsolute(folder)) throw refusal('Write the whole path of the folder, from the root on.')
  try {
    await rmdir(await mkdtemp(join(folder, '.custom-connection-')))
  } catch (cause) {
    throw refusal(`Nothing can be written to the folder ${folder}: ${messageOf(cause)}`, cause)
  }
}

function refusal(message: string, cause?: unknown): ServiceError {
  const data = { issues: [{ path: 'backup.folder', message }] }
  return new ServiceError('invalid_input', { detail: message, data, cause })
}
