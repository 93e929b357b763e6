/**
 * A million fuzzed requests to a listener with its fast path and to one without it. Both must give the same answers,
 * and node:http must read what the fast path takes in the same way.
 */
import { z } from 'zod'
import { recordNamed } from '../support/connection-records.ts'
import { fuzzFastPath } from '../support/fuzz/fast-path.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { newFolder, removeFolder, startProgram } from './support/processes.ts'

/** @param seed chooses the requests; the same one makes the same again. */
export async function run({ requests = 1_000_000, seed = Date.now() } = {}) {
  const folders = [newFolder(), newFolder()]
  const [withIt, without] = await Promise.all(
    folders.map((folder, index) =>
      startProgram(['test/support/inbound-process.ts', folder, index === 0 ? 'on' : 'off'], z.int()),
    ),
  )
  if (withIt === undefined || without === undefined) throw new Error('Two listeners are needed.')
  try {
    const { inboundToken: token, signingSecret: secret } = recordNamed('first')
    const result = await fuzzFastPath({
      withIt: { host: '127.0.0.1', port: withIt.line },
      without: { host: '127.0.0.1', port: without.line },
      account: { token, secret },
      random: createRandom(seed),
      requests,
      now: Date.now,
    })
    const { taken, accepted, wrong } = result
    console.log(`seed ${seed}`)
    console.log(`${result.requests} requests   ${taken} taken by the fast path, ${accepted} accepted`)
    console.log(`read or answered in another way   ${wrong.length}   target: 0`)
    for (const one of wrong) console.log(`  ${one}`)
    return result
  } finally {
    await withIt.stop()
    await without.stop()
    for (const folder of folders) removeFolder(folder)
  }
}

if (import.meta.main) await run()
