/**
 * Loaded before the executable: kills its process, as kill -9 does, right before its n-th call that changes a
 * folder, n being KILL_AT; past the last one it runs to its end and says on stderr how many there were.
 */
import { writeSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const killAt = Number(process.env.KILL_AT)
let calls = 0

function counted<Args extends unknown[], Result>(call: (...args: Args) => Result) {
  return (...args: Args): Result => {
    if (calls === killAt) process.kill(process.pid, 'SIGKILL')
    calls++
    return call(...args)
  }
}

const { mkdir, rename, rm, chmod, open } = fs
// A folder is opened to be synced, after each rename.
Object.assign(fs, {
  mkdir: counted(mkdir),
  rename: counted(rename),
  rm: counted(rm),
  chmod: counted(chmod),
  open: counted(open),
})
syncBuiltinESMExports()
process.on('exit', () => writeSync(2, `calls: ${calls}\n`))
