import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createConnection, rest, serve, stop, temporaryFolder } from '../support/cli-service.ts'

/** How many occurrences another process sees in the folder's history. */
function storedIn(data: string): number {
  const database = new DatabaseSync(join(data, 'history.sqlite'), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM occurrences').get()?.count)
  } finally {
    database.close()
  }
}

test('a refused request that was written outlives kill -9', async () => {
  const data = temporaryFolder()
  const service = await serve(data)
  const { connectionId, credentials } = await createConnection(service, 'Shop')
  const body = '{"event":"a"}'
  expect((await fetch(credentials.inboundUrl, { method: 'POST', body })).status).toBe(401)
  await expect.poll(() => storedIn(data)).toBe(1)
  service.process.signal('SIGKILL')
  await service.process.ended

  const again = await serve(data)
  expect((await rest(again, 'GET', `/connections/${connectionId}/attempts`)).body).toMatchObject({
    attempts: [{ code: 'missing_signature', bodyText: body }],
  })
  expect(await stop(again)).toBe(0)
})
