import { expect, it } from 'vitest'
import { run } from '../bench/kill.ts'

it('loses no event that it answered with 200 to kill -9, stores none twice, and starts again', async () => {
  const { acknowledged, lost, twice } = await run({ rounds: 3 })
  expect(acknowledged).toBeGreaterThan(1000)
  expect({ lost, twice }).toEqual({ lost: 0, twice: 0 })
}, 120_000)
