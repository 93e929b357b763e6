/**
 * Makes the scheduled backup of a data folder: arguments are the data folder, the schedule as JSON and the time. Kills its
 * process, as kill -9 does, right before the n-th of its calls that change the schedule's folder, n being KILL_AT.
 */
import callbacks from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { BackupSchedule } from '#shared/model/backup.ts'

const [, , dataFolder = '', json = '', now = ''] = process.argv
const schedule = BackupSchedule.parse(JSON.parse(json))
const killAt = Number(process.env.KILL_AT)
let calls = 0

function count(path: unknown): void {
  if (!String(path).startsWith(schedule.folder)) return
  if (calls === killAt) process.kill(process.pid, 'SIGKILL')
  calls++
}

function counted<Args extends unknown[], Result>(call: (...args: Args) => Result) {
  return (...args: Args): Result => {
    count(args[0])
    return call(...args)
  }
}

const { rename, rm, open } = fs
Object.assign(fs, { rename: counted(rename), rm: counted(rm), open: counted(open) })
// What a stream writes to: its file is open, and has nothing yet.
const { write } = callbacks
Object.assign(callbacks, {
  open: counted(callbacks.open),
  write(...args: Parameters<typeof write>) {
    count(schedule.folder)
    return write(...args)
  },
})
syncBuiltinESMExports()

const { openScheduled } = await import('./scheduled-fixture.ts')
const { scheduled, close } = await openScheduled(dataFolder, schedule, Number(now))
await scheduled.check()
await close()
console.log(calls)
