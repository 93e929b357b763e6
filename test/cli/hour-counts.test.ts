import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { HourList } from '#shared/model/hour-statistics.ts'
import {
  type CliService,
  createConnection,
  rest,
  serve,
  stop,
  temporaryFolder,
} from '../support/cli-service.ts'
import { noPostgres } from '../support/postgres.ts'
import { newDatabase } from '../support/postgres-database.ts'
import { postInbound } from '../support/service-fixture.ts'

const aheadMs = 2 * 3_600_000
const token = 'a-token-of-the-tests-0123'
const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32), CUSTOM_CONNECTION_ADMIN_TOKEN: token }
const ahead = ['--clock-ahead', String(aheadMs)]

async function send(service: CliService, connectionId: string, at: number): Promise<void> {
  const { body } = await rest(service, 'GET', `/connections/${connectionId}/credentials`, { token })
  const credentials = Credentials.parse(body)
  const { pathname } = new URL(credentials.inboundUrl)
  const to = { ...credentials, inboundUrl: new URL(pathname, service.listenerUrl).href }
  expect((await postInbound(to, '{"event":"a"}', at)).status).toBe(200)
}

const acceptedOf = async (service: CliService) =>
  HourList.parse((await rest(service, 'GET', '/statistics/hours', { token })).body).hours.map(
    ({ accepted }) => accepted,
  )

/** Counts in two hours, of which the second is that of a service that is ahead of the time. */
async function countInTwoHours(args: readonly string[]): Promise<void> {
  const data = temporaryFolder()
  const first = await serve(data, args, { env })
  const { connectionId } = await createConnection(first, 'Shop', token)
  await send(first, connectionId, Date.now())
  expect(await stop(first)).toBe(0)
  const second = await serve(data, [...args, ...ahead], { env })
  await send(second, connectionId, Date.now() + aheadMs)
  expect(await acceptedOf(second)).toEqual([1, 1])
  expect(await stop(second)).toBe(0)
}

test('the counts of hours go on in the next process on a data folder', () => countInTwoHours([]))
test.skipIf(noPostgres !== null)('the counts of hours go on in the next process on a database', async () =>
  countInTwoHours(['--database', await newDatabase()]),
)
