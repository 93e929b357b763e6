import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { chmod, cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readBackup } from '#main/backup/read-backup.ts'
import { requireBackupFolder, scheduledName } from '#main/backup/scheduled-backups.ts'
import { hourMs, minuteMs } from '#shared/durations.ts'
import type { BackupSchedule } from '#shared/model/backup.ts'
import { newFolder } from '../storage/config-fixtures.ts'
import { exampleFolder } from './fixtures.ts'
import { openScheduled, startOfSchedule } from './scheduled-fixture.ts'

const dayMs = 24 * hourMs
const daily: Omit<BackupSchedule, 'folder'> = { every: 'day', at: '03:00', keep: 2 }

async function open(changes: Partial<BackupSchedule> = {}, start?: number) {
  const dataFolder = await exampleFolder()
  const schedule = { ...daily, folder: await newFolder(), ...changes }
  const opened = await openScheduled(dataFolder, schedule, start)
  onTestFinished(() => opened.close())
  const files = () => readdirSync(schedule.folder).sort()
  return { ...opened, dataFolder, schedule, files }
}

describe('backups on a schedule', () => {
  test('are made at their time, verified, private, and the newest stay', async () => {
    const { scheduled, list, time, files, schedule } = await open()
    writeFileSync(join(schedule.folder, scheduledName(1)), 'of another service')
    await scheduled.check()
    expect(files()).toEqual([scheduledName(1)])
    const made: number[] = []
    for (let day = 0; day < 4; day++) {
      time.now = startOfSchedule + day * dayMs + minuteMs
      made.unshift(time.now)
      await scheduled.check()
      await scheduled.check()
      expect(files()).toEqual([...made.slice(0, 2).map(scheduledName), scheduledName(1)].sort())
      const file = join(schedule.folder, scheduledName(time.now))
      expect(Date.parse((await readBackup(file)).createdAt)).toBe(time.now)
      if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
      const [newest] = await list.list()
      const facts = { source: 'schedule', ok: true, error: null, bytes: statSync(file).size }
      expect(newest).toEqual({ at: time.now, label: scheduledName(time.now), ...facts })
    }
    expect(await list.newestGoodAt()).toBe(time.now)
    expect((await list.list()).map(({ at }) => at)).toEqual(made)
  })

  test('are made once after missed times, when the service starts', async () => {
    const { dataFolder, schedule, ...first } = await open()
    first.time.now += minuteMs
    await first.scheduled.check()
    await first.close()
    const late = startOfSchedule + 3 * dayMs + 5 * hourMs
    const second = await openScheduled(dataFolder, schedule, late)
    onTestFinished(() => second.close())
    for (let n = 0; n < 3; n++) await second.scheduled.check()
    expect((await second.list.list()).map(({ at }) => at)).toEqual([late, startOfSchedule + minuteMs])
    expect(second.scheduled.nextAt()).toBe(startOfSchedule + 4 * dayMs + minuteMs)
  })

  test('go on after a clock that was ahead, and one of that time goes first', async () => {
    const { scheduled, list, time, files } = await open({ keep: 1 })
    const ahead = startOfSchedule + 40 * 365 * dayMs
    time.now = ahead
    await scheduled.check()
    expect(files()).toEqual([scheduledName(ahead)])
    for (const day of [0, 1]) {
      time.now = startOfSchedule + day * dayMs + minuteMs
      await scheduled.check()
      await scheduled.check()
      expect(files()).toEqual([scheduledName(time.now)])
      expect(await list.newestGoodAt()).toBe(time.now)
    }
    expect(await list.list()).toHaveLength(3)
  })

  test('are none too many after a clock that was set back, nor when the service starts then', async () => {
    const { dataFolder, schedule, ...first } = await open({ keep: 3 })
    for (const day of [0, 1]) {
      first.time.now = startOfSchedule + day * dayMs + minuteMs
      await first.scheduled.check()
    }
    first.time.now -= hourMs
    await first.scheduled.check()
    expect(await first.list.list()).toHaveLength(2)
    await first.close()
    const second = await openScheduled(dataFolder, schedule, first.time.now)
    onTestFinished(() => second.close())
    await second.scheduled.check()
    expect(await second.list.list()).toHaveLength(2)
  })

  test('are not made for a time before the schedule was set', async () => {
    const { scheduled, list, change, schedule, time } = await open()
    time.now += 10 * minuteMs
    change({ ...schedule, at: '03:05' })
    await scheduled.check()
    expect(await list.list()).toEqual([])
    change(null)
    time.now += dayMs
    await scheduled.check()
    expect(await list.list()).toEqual([])
    expect(scheduled.nextAt()).toBe(null)
  })

  test('say in the list why one failed, and are tried again after an hour, or in another folder', async () => {
    const folder = join(await newFolder(), 'gone')
    const { scheduled, list, change, schedule, time, problems } = await open({ folder })
    time.now += minuteMs
    await scheduled.check()
    const [failed] = await list.list()
    expect(failed).toMatchObject({ at: time.now, ok: false, bytes: null, source: 'schedule' })
    expect(failed?.error).toContain(folder)
    expect(problems).toEqual([expect.stringContaining('The scheduled backup failed')])
    await scheduled.check()
    expect(await list.list()).toHaveLength(1)
    time.now += hourMs
    await scheduled.check()
    expect(await list.list()).toHaveLength(2)
    time.now += minuteMs
    change({ ...schedule, folder: await newFolder() })
    await scheduled.check()
    expect((await list.list()).map(({ ok }) => ok)).toEqual([true, false, false])
  })

  test('that are stopped leave no file, and the next start makes one', async () => {
    const { dataFolder, schedule, scheduled, time, close, files } = await open()
    time.now += minuteMs
    const making = scheduled.check()
    await scheduled.stop()
    await making
    expect(files()).toEqual([])
    await close()
    const second = await openScheduled(dataFolder, schedule, time.now + 1000)
    onTestFinished(() => second.close())
    expect(await second.list.list()).toMatchObject([{ ok: false, error: expect.stringContaining('ended') }])
    await second.scheduled.check()
    expect((await second.list.list()).map(({ ok }) => ok)).toEqual([true, false])
  })

  test('say which old one was not deleted', async () => {
    const { scheduled, list, time, schedule } = await open({ keep: 1 })
    time.now += minuteMs
    await scheduled.check()
    // A folder of its name cannot be deleted as a file.
    const file = join(schedule.folder, scheduledName(time.now))
    await rm(file)
    mkdirSync(file)
    time.now += dayMs
    await scheduled.check()
    const [newest] = await list.list()
    expect(newest).toMatchObject({
      at: time.now,
      ok: true,
      error: expect.stringContaining('was not deleted'),
    })
  })

  test('leave no half file that counts, whenever the process is killed', async () => {
    const template = await exampleFolder()
    const outcomes: string[] = []
    for (let killAt = 0, isKilled = true; isKilled; killAt++) {
      const dataFolder = join(await newFolder(), 'data')
      await cp(template, dataFolder, { recursive: true })
      const schedule = { ...daily, keep: 1, folder: await newFolder() }
      const first = await openScheduled(dataFolder, schedule, startOfSchedule - dayMs + minuteMs)
      await first.scheduled.check()
      await first.close()
      const at = startOfSchedule + minuteMs
      const args = [
        join(import.meta.dirname, 'scheduled-until-killed.ts'),
        dataFolder,
        JSON.stringify(schedule),
        String(at),
      ]
      const env = { ...process.env, KILL_AT: String(killAt) }
      const ended = promisify(execFile)(process.execPath, args, { env })
      isKilled = await ended.then(
        () => false,
        ({ signal, stderr }) => {
          expect([signal, stderr]).toEqual(['SIGKILL', ''])
          return true
        },
      )
      const complete = readdirSync(schedule.folder).filter(name => name.endsWith('.tar.gz'))
      for (const name of complete) await readBackup(join(schedule.folder, name))
      expect(complete.length).toBeGreaterThan(0)

      const next = await openScheduled(dataFolder, schedule, at + minuteMs)
      const isThere = complete.includes(scheduledName(at))
      await next.scheduled.check()
      const [newest] = await next.list.list()
      expect(newest).toMatchObject({ ok: true, at: isThere ? at : at + minuteMs })
      if (!isThere) expect(readdirSync(schedule.folder)).toEqual([newest?.label])
      await next.close()
      outcomes.push(isThere ? 'there' : 'again')
    }
    expect(outcomes.join(' ')).toMatch(/^(again ){3,}(there ?)+$/)
  })

  test('on a full disk are errors in the list, and leave nothing on it', async ({ skip }) => {
    const folder = await newFolder()
    const isMounted =
      process.platform === 'linux' &&
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', folder]).status === 0
    if (!isMounted) return skip('This user may not mount a file system.')
    onTestFinished(() => void spawnSync('umount', [folder]))
    writeFileSync(join(folder, 'filler'), 'x'.repeat(4096))
    const { scheduled, list, time } = await open({ folder })
    time.now += minuteMs
    await scheduled.check()
    expect(await list.list()).toMatchObject([{ ok: false, error: expect.stringContaining('ENOSPC') }])
    expect(readdirSync(folder)).toEqual(['filler'])
  })
})

describe('the folder of a schedule', () => {
  test.each(['backups', './x', ''])('must be a whole path, and not %j', async folder => {
    await expect(requireBackupFolder(folder)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('must be there and take files; nothing is left in it', async () => {
    const folder = await newFolder()
    await requireBackupFolder(folder)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(join(folder, 'file'), '')
    for (const wrong of ['none', 'file', 'file/below', 'nul\0'])
      await expect(requireBackupFolder(join(folder, wrong))).rejects.toMatchObject({
        code: 'invalid_input',
        data: {
          issues: [{ path: 'backup.folder', message: expect.stringContaining('Nothing can be written') }],
        },
      })
    expect(existsSync(join(folder, 'none'))).toBe(false)
    // The administrator may write everywhere.
    if (process.platform === 'win32' || process.getuid?.() === 0) return
    await chmod(folder, 0o500)
    await expect(requireBackupFolder(folder)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
