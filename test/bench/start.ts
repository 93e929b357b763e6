/**
 * The start of the headless service, from its process to the line of `serve --json`, on a new data folder and
 * again on the same one, against a bare `node -e 0` from its process to its end, in turn. Target: at most 2 seconds.
 */
import { spawnSync } from 'node:child_process'
import { newFolder, removeFolder, startServe } from './support/processes.ts'
import { median, spread } from './support/statistics.ts'

export type StartBench = {
  readonly newFolderMs: number
  readonly againMs: number
  readonly bareMs: number
  readonly newFolderRatio: number
  readonly againRatio: number
}

/** @returns milliseconds. */
async function timeServe(folder: string): Promise<number> {
  const startedAt = performance.now()
  const service = await startServe(folder)
  const milliseconds = performance.now() - startedAt
  await service.stop()
  return milliseconds
}

function timeBare(): number {
  const startedAt = performance.now()
  const { status } = spawnSync(process.execPath, ['-e', '0'])
  if (status !== 0) throw new Error('node -e 0 failed.')
  return performance.now() - startedAt
}

export async function run({ rounds = 15 } = {}): Promise<StartBench> {
  const bare: number[] = []
  const first: number[] = []
  const again: number[] = []
  // One more than is counted: the first one reads everything from the disk.
  for (let round = 0; round <= rounds; round++) {
    const folder = newFolder()
    try {
      const times = [timeBare(), await timeServe(folder), await timeServe(folder)] as const
      if (round === 0) continue
      bare.push(times[0])
      first.push(times[1])
      again.push(times[2])
    } finally {
      removeFolder(folder)
    }
  }

  const ratiosOf = (times: number[]) => times.map((time, round) => time / (bare[round] ?? Number.NaN))
  console.log(`node -e 0        ${spread(bare, 0)} ms`)
  for (const [name, times] of [
    ['a new folder    ', first],
    ['the same again  ', again],
  ] as const)
    console.log(
      `${name} ${spread(times, 0)} ms, ratio ${spread(ratiosOf(times), 1)}   target: at most 2000 ms`,
    )
  return {
    newFolderMs: median(first),
    againMs: median(again),
    bareMs: median(bare),
    newFolderRatio: median(ratiosOf(first)),
    againRatio: median(ratiosOf(again)),
  }
}

if (import.meta.main) await run()
