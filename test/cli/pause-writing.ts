/**
 * Loaded before the executable: says `paused` on stderr and stops its process, as SIGSTOP does, when the first
 * file that it streams to has been created and nothing written to it.
 */
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { createWriteStream } = fs
let isPaused = false

fs.createWriteStream = (...args) => {
  const stream = createWriteStream(...args)
  stream.once('open', () => {
    if (isPaused) return
    isPaused = true
    writeSync(2, 'paused\n')
    process.kill(process.pid, 'SIGSTOP')
  })
  return stream
}
syncBuiltinESMExports()
