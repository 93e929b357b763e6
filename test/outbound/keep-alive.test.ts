import { expect, test } from 'vitest'
import { serve, startCaller } from './support.ts'

test('a server that says how long it keeps connections is taken at its word, less a second', async () => {
  const { url, connections } = await serve((_request, response) => {
    response.setHeader('Keep-Alive', 'timeout=1')
    response.end('{}')
  })
  const caller = startCaller({ limits: { connections: 1 } })
  for (let count = 0; count < 3; count++) expect((await caller.run(url)).ok).toBe(true)
  expect(connections()).toBe(3)
})
