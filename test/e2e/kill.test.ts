import { expect, it } from 'vitest'
import { run } from '../bench/kill.ts'
import { run as runWorkflows } from '../bench/workflow-kill.ts'

it('loses no event that it answered with 200 to kill -9, stores none twice, and starts again', async () => {
  const { acknowledged, lost, twice } = await run({ rounds: 3 })
  expect(acknowledged).toBeGreaterThan(1000)
  expect({ lost, twice }).toEqual({ lost: 0, twice: 0 })
})

it('ends every run of an event that it answered with 200 after kill -9, each step under one key', async () => {
  const { acknowledged, lost, doubled, unfinished } = await runWorkflows({ rounds: 2, random: () => 0 })
  expect(acknowledged).toBeGreaterThan(300)
  expect({ lost, doubled, unfinished }).toEqual({ lost: 0, doubled: 0, unfinished: 0 })
})
