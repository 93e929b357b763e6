import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCluster, noPostgres } from '../support/postgres.ts'
import { newDatabase, query } from '../support/postgres-database.ts'
import { createConnection } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

const env = { CUSTOM_CONNECTION_KEY: 'a1'.repeat(32) }

/** Starts a service on a database that belongs to a role of its own. */
async function start(admin: string) {
  const name = new URL(admin).pathname.slice(1)
  const role = `of_${name}`
  await query(admin, `CREATE ROLE ${role} LOGIN`)
  await query(admin, `ALTER DATABASE ${name} OWNER TO ${role}`)
  await query(admin, 'ALTER SCHEMA public OWNER TO pg_database_owner')
  return { admin, name, role, url: Object.assign(new URL(admin), { username: role }).href }
}

async function serve(url: string) {
  const fixture = await startService({ service: { database: url, env, clock: Date.now } })
  const { credentials } = await createConnection(fixture.rest, { persistEvents: true })
  const inboundUrl = `${fixture.listenerUrl}/api/connect/${credentials.inboundToken}/events`
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${fixture.dashboardUrl}${path}`)
    return [response.status, await response.json()]
  }
  return {
    ...fixture,
    ready: () => get('/readyz'),
    health: () => get('/healthz'),
    post: async (body = '{"event":"one"}') =>
      (await postInbound({ ...credentials, inboundUrl }, body, Date.now())).status,
  }
}
type Served = Awaited<ReturnType<typeof serve>>
const ready = [200, { ready: true }]
const unready = (reason: string) => [503, { ready: false, reason }]

/** Checks that events get 503, `/readyz` says why, and both end without events once the cause has gone. */
async function goesThrough(service: Served, reason: string, end: () => Promise<unknown>) {
  await expect.poll(() => service.post()).toBe(503)
  await expect.poll(service.ready).toEqual(unready(reason))
  expect(await service.health()).toMatchObject([503, { ok: false, refused: 'stored', reason }])
  const { lines } = service.log
  await expect
    .poll(() => lines.map(({ fields }) => fields))
    .toContainEqual(expect.objectContaining({ reason }))
  await end()
  await expect.poll(service.ready).toEqual(ready)
  await expect.poll(() => service.post()).toBe(200)
  await expect.poll(() => lines.map(({ message }) => message)).toContain('The storage can be used again')
  lines.length = 0
}

describe.skipIf(noPostgres !== null)('a service on a database', () => {
  let at: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    at = await start(await newDatabase())
  })

  it('is unready while events cannot be stored, says why, and is ready again without events', async () => {
    const service = await serve(at.url)
    const { admin, name, role } = at
    expect([await service.ready(), await service.post()]).toEqual([ready, 200])
    const other = Object.assign(new URL(admin), { pathname: '/postgres' }).href
    const endConnections = () =>
      query(other, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])

    const failing = async (code: string) => {
      await query(
        admin,
        `CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'This always fails.' USING ERRCODE = '${code}'; END $$;
        CREATE OR REPLACE TRIGGER fails BEFORE INSERT ON event EXECUTE FUNCTION fail()`,
      )
      return () => query(admin, 'DROP TRIGGER fails ON event')
    }
    for (const ofData of ['22021', '23514', '42501', '54000']) {
      const end = await failing(ofData)
      await expect.poll(() => service.post()).toBe(503)
      await end()
    }
    expect(await service.post()).toBe(200)
    expect(await service.ready()).toEqual(ready)
    expect(service.log.lines.map(({ message }) => message)).not.toContain('A part of the service failed')

    const locking = new Client(admin)
    await locking.connect()
    await locking.query('BEGIN; LOCK TABLE event, run')
    await goesThrough(service, 'locked', () => locking.end())

    await goesThrough(service, 'database_full', await failing('53100'))

    const isReadOnly = `ALTER DATABASE ${name} SET default_transaction_read_only`
    await query(other, `${isReadOnly} = on`)
    await endConnections()
    await goesThrough(service, 'former_primary', async () => {
      await query(other, `${isReadOnly} = off`)
      await endConnections()
    })

    await query(admin, `ALTER ROLE ${role} CONNECTION LIMIT 0`)
    await endConnections()
    await goesThrough(service, 'no_connection', () => query(admin, `ALTER ROLE ${role} CONNECTION LIMIT -1`))
  })

  it('does not start with fewer than 7 connections, and says which setting limits them', async () => {
    const { admin, name, role, url } = at
    await query(admin, `ALTER ROLE ${role} CONNECTION LIMIT 6`)
    await expect(startService({ service: { database: url, env } })).rejects.toMatchObject({
      code: 'too_few_connections',
      message: expect.stringContaining('the CONNECTION LIMIT of the role'),
    })
    await query(admin, `ALTER ROLE ${role} CONNECTION LIMIT -1`)
    await query(admin, `ALTER DATABASE ${name} CONNECTION LIMIT 6`)
    await expect(startService({ service: { database: url, env } })).rejects.toMatchObject({
      code: 'too_few_connections',
      message: expect.stringContaining('the CONNECTION LIMIT of the database'),
    })
  })

  it('starts with 7 connections, and warns', async () => {
    const { admin, name, role, url } = at
    await query(admin, `ALTER DATABASE ${name} CONNECTION LIMIT -1`)
    await query(admin, `ALTER ROLE ${role} CONNECTION LIMIT 7`)
    const service = await serve(url)
    const text = expect.stringContaining(
      'gives this service 7 connections, because the CONNECTION LIMIT of the role',
    )
    expect((await service.rest('GET', '/service')).body).toMatchObject({ notices: [text] })
    expect(service.log.lines).toContainEqual(expect.objectContaining({ level: 'warn', message: text }))
    expect([await service.post(), await service.ready()]).toEqual([200, ready])
    for (const path of ['/connections', '/activity/list', '/nodes', '/runs'])
      expect((await service.rest('GET', path)).status).toBe(200)
    await query(admin, `ALTER ROLE ${role} CONNECTION LIMIT -1`)
  })

  it('is unready while the database does not take its password', async () => {
    const cluster = createCluster()
    onTestFinished(() => cluster.remove())
    const rules = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
    writeFileSync(join(cluster.folder, 'data/pg_hba.conf'), `${rules.join('\n')}\n`)
    // Three are the superuser's.
    const server = await cluster.start({ max_connections: 13, superuser_reserved_connections: 3 })
    onTestFinished(() => server.stop('SIGQUIT'))
    await query(server.url(), `CREATE ROLE node LOGIN PASSWORD 'one'`)
    await query(server.url(), 'CREATE DATABASE of_node OWNER node')
    const url = new URL(server.url('of_node'))
    const database = Object.assign(url, { username: 'node', password: 'one' }).href
    const service = await serve(database)
    await expect(startService({ service: { database, env } })).rejects.toMatchObject({
      code: 'too_few_connections',
      message: expect.stringContaining('max_connections'),
    })
    await query(server.url(), `ALTER ROLE node PASSWORD 'two'`)
    await query(server.url(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'node'`)
    await goesThrough(service, 'password', () => query(server.url(), `ALTER ROLE node PASSWORD 'one'`))
    expect(JSON.stringify(service.log.lines)).not.toContain('one@')
  })
})
