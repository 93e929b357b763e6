import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { requireSupported } from '#main/storage/postgres/session.ts'
import { databaseName, hostUrls } from '#main/storage/postgres/url.ts'
import { type Cluster, createCluster, majorVersion, noPostgres, type Server } from '../../support/postgres.ts'
import { newDatabase, query } from '../../support/postgres-database.ts'

it('names each host by a URL of its own', () => {
  expect(hostUrls('postgres://u:p%40@a:5433,b/name?sslmode=require')).toEqual([
    'postgres://u:p%40@a:5433/name?sslmode=verify-full',
    'postgres://u:p%40@b/name?sslmode=verify-full',
  ])
  for (const own of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require'])
    expect(hostUrls(`postgres://a/b?${own}`)).toEqual([`postgres://a/b?${own}`])
  expect(hostUrls('postgresql://localhost/x')).toEqual(['postgresql://localhost/x'])
  for (const own of ['any', 'read-write', 'primary'])
    expect(hostUrls(`postgres://a/b?target_session_attrs=${own}`)).toHaveLength(1)
  for (const url of ['', 'x', 'http://a/b', 'postgres://', 'postgres://a:b:c/d'])
    expect(() => hostUrls(url), url).toThrow(expect.objectContaining({ code: 'invalid_database_url' }))
})

it.each([
  ['target_session_attrs=nonsense', 'any, read-write, primary'],
  ['target_session_attrs=read-only', 'any, read-write, primary'],
  ['application_name=x&target_session_attrs=', 'any, read-write, primary'],
  ['sslmode=strict', 'disable, no-verify, prefer, require, verify-ca, verify-full'],
])('refuses a URL with %s, and names the values', (own, values) => {
  expect(() => hostUrls(`postgres://a,b/c?${own}`)).toThrow(
    expect.objectContaining({
      code: 'invalid_database_url',
      message: expect.stringContaining(`must be one of: ${values}.`),
    }),
  )
})

it('names a database without its user and password', () => {
  expect(databaseName('postgres://u:p%40@a:5433,[::1]/name?sslmode=require')).toBe('a:5433,[::1]/name')
  expect(databaseName('postgres://u:p@ss@a/name')).toBe('a/name')
})

describe.skipIf(noPostgres !== null)('a connection', () => {
  it.each(['fsync', 'full_page_writes'])('is refused while %s is off', async setting => {
    const cluster = createCluster()
    const server = await cluster.start({ [setting]: 'off' })
    try {
      await expect(connectorTo(server.url())()).rejects.toMatchObject({ code: 'unsafe_database' })
    } finally {
      await server.stop('SIGQUIT')
      cluster.remove()
    }
  })

  it.each(['off', 'local', 'remote_write'])('is refused while synchronous_commit is %s', async value => {
    const url = await newDatabase()
    const name = new URL(url).pathname.slice(1)
    await query(url, `ALTER DATABASE ${name} SET synchronous_commit = ${value}`)
    await expect(connectorTo(url)()).rejects.toMatchObject({ code: 'unsafe_database' })
  })

  it('does not depend on the settings of its role', async () => {
    const { url, settings } = await restrictedRole()
    const pool = new Pool(connectorTo(url), 1)
    onTestFinished(() => pool.close())
    const found = await pool.query('SELECT name, setting FROM pg_settings WHERE name = ANY ($1)', [
      Object.keys(settings),
    ])
    expect(Object.fromEntries(found.map(({ name, setting }) => [name, setting]))).toEqual({
      ...Object.fromEntries(Object.keys(settings).map(name => [name, '0'])),
      default_transaction_isolation: 'read committed',
      client_min_messages: 'notice',
      idle_in_transaction_session_timeout: '4000',
      lock_timeout: '4500',
    })
    // Longer than the role may.
    expect(await pool.query('SELECT pg_sleep(0.2)')).toHaveLength(1)
  })

  it('can be used after an error in whatever language', async () => {
    const url = await translated(await newDatabase(), [['SERROR', 'SFEHLE']])
    const pool = new Pool(connectorTo(url), 1)
    const [before] = await pool.query('SELECT pg_backend_pid() AS pid')
    await expect(pool.query('SELECT 1 / 0')).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await pool.query('SELECT pg_backend_pid() AS pid')).toEqual([before])
    pool.close()
  })

  it('waits longer for a lock than a process that hangs can hold it', async () => {
    const url = await newDatabase()
    await query(url, 'CREATE TABLE one ()')
    const pools = [new Pool(connectorTo(url), 1), new Pool(connectorTo(url), 1)] as const
    onTestFinished(() => {
      for (const pool of pools) pool.close()
    })
    let waiting: Promise<unknown> = Promise.resolve()
    const hung = pools[0].transaction(async connection => {
      await connection.query('LOCK TABLE one')
      waiting = pools[1].transaction(other => other.query('LOCK TABLE one'))
      // The other waits by the end of it.
      await connection.query('SELECT pg_sleep(0.3)')
      await waiting.catch(() => {})
    })
    await expect(hung).rejects.toMatchObject({ code: 'storage_unavailable' })
    await waiting
  })

  it('says of each server why it cannot be used', async () => {
    const { host } = new URL(await newDatabase())
    const connect = connectorTo(`postgres://postgres@127.0.0.1:1,${host}/none`)
    const message =
      'No server of the database can be used. 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1; ' +
      `${host}: database "none" does not exist`
    await expect(connect()).rejects.toMatchObject({ code: 'storage_unavailable', message })
  })

  it('ends at once if the URL lacks the password', async () => {
    const cluster = createCluster()
    const rules = 'host all postgres all trust\nhost all all all scram-sha-256\n'
    writeFileSync(join(cluster.folder, 'data/pg_hba.conf'), rules)
    const server = await cluster.start()
    try {
      await query(server.url(), "CREATE ROLE shop LOGIN PASSWORD 'secret'")
      const message = /: The server asks for a password, and the URL contains none\.$/
      const attempt = connectorTo(server.url().replace('postgres@', 'shop@'))()
      await expect(attempt).rejects.toThrow(message)
      const others =
        'SELECT pid FROM pg_stat_activity WHERE client_port IS NOT NULL AND pid <> pg_backend_pid()'
      await expect.poll(() => query(server.url(), others)).toEqual([])
    } finally {
      await server.stop('SIGQUIT')
      cluster.remove()
    }
  })

  it('is refused if the encoding is not UTF8', async () => {
    const url = await newDatabase()
    const name = `${new URL(url).pathname.slice(1)}_latin`
    await query(
      url,
      `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`,
    )
    const other = Object.assign(new URL(url), { pathname: `/${name}` }).href
    await expect(connectorTo(other)()).rejects.toMatchObject({
      code: 'unsupported_database',
      message: expect.stringContaining('LATIN1'),
    })
  })

  it('is refused if the server is older than version 15', () => {
    expect(() => requireSupported(140_019, 'UTF8')).toThrow(
      expect.objectContaining({ code: 'unsupported_database', message: expect.stringContaining('14') }),
    )
    expect(() => requireSupported(150_000, 'UTF8')).not.toThrow()
  })

  it('fails once its server ends, and the next one is used when it is back', async () => {
    const cluster = createCluster()
    let server = await cluster.start()
    const pool = new Pool(connectorTo(server.url()), 1)
    try {
      expect(await pool.query('SELECT 1 AS n')).toEqual([{ n: 1 }])
      const waiting = pool.query('SELECT pg_sleep(60)')
      await Promise.all([
        expect(waiting).rejects.toMatchObject({ code: 'storage_unavailable' }),
        server.stop('SIGQUIT'),
      ])
      await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'storage_unavailable' })
      server = await cluster.start({}, server.port)
      expect(await pool.query('SELECT 2 AS n')).toEqual([{ n: 2 }])
    } finally {
      pool.close()
      await server.stop('SIGQUIT')
      cluster.remove()
    }
  })

  it('that is given up does not stay on the server', async () => {
    const url = await newDatabase()
    const pool = new Pool(connectorTo(url, { silentMs: 200 }), 1)
    onTestFinished(() => pool.close())
    await expect(pool.query(`SELECT pg_sleep(600), 'given up'`)).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    await expect
      .poll(() =>
        query(url, `SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600), ''given%'`),
      )
      .toEqual([])
  })

  it('says that it has waited for a lock, and can be used again', async () => {
    const url = await newDatabase()
    const pool = new Pool(connectorTo(url, { silentMs: 500 }), 1)
    const holder = new Client(url)
    await holder.connect()
    try {
      await query(url, 'CREATE TABLE locked (n int)')
      const [before] = await pool.query('SELECT pg_backend_pid() AS pid')
      await holder.query('BEGIN; LOCK TABLE locked')
      await expect(pool.query('INSERT INTO locked VALUES (1)')).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('lock timeout'),
      })
      expect(await pool.query('SELECT pg_backend_pid() AS pid')).toEqual([before])
    } finally {
      pool.close()
      await holder.end()
    }
  })
})

describe.skipIf(noPostgres !== null)('a server', () => {
  it('that refuses to tell its timeline and cluster is used, and told of once', async () => {
    const { url } = await restrictedRole()
    const own = url.replace(/\w+@/, 'postgres@')
    for (const name of ['pg_current_wal_lsn()', 'pg_control_system()'])
      await query(own, `REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC`)
    const warnings: string[] = []
    const pool = new Pool(connectorTo(url, { onWarning: text => warnings.push(text) }), 2)
    onTestFinished(() => pool.close())
    await Promise.all([1, 2].map(() => pool.query('SELECT pg_sleep(0.1)')))
    expect(warnings).toEqual([expect.stringContaining('does not tell its timeline')])
  })

  it('is found by the URL that a file has when a connection is opened, if it has the same database', async () => {
    const [first, { url: second, role }] = [await newDatabase(), await restrictedRole()]
    const file = join(mkdtempSync(join(tmpdir(), 'cc-url-')), 'url')
    onTestFinished(() => rmSync(dirname(file), { recursive: true }))
    writeFileSync(file, ` ${second.replace(role, 'postgres')}\n`)
    const warnings: string[] = []
    const connect = connectorTo(`@${file}`, { onWarning: text => warnings.push(text) })
    const used = async () => {
      const connection = await connect()
      const [row] = await connection.query('SELECT current_user AS name')
      connection.end()
      return row?.name
    }
    expect(await used()).toBe('postgres')
    writeFileSync(file, second)
    expect(await used()).toBe(role)
    writeFileSync(file, first)
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(used()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(warnings).toEqual([expect.stringContaining('another database')])
    for (const text of ['', 'http://half']) {
      writeFileSync(file, text)
      await expect(used()).rejects.toMatchObject({ code: 'storage_unavailable' })
    }
    rmSync(file)
    await expect(used()).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(connectorTo(`@${file}`)()).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  it('with the data of another cluster is not used, which is told of once', async () => {
    const clusters = [createCluster(), createCluster()] as const
    let server = await clusters[0].start()
    const warnings: string[] = []
    const pool = new Pool(connectorTo(server.url(), { onWarning: text => warnings.push(text) }), 1)
    try {
      await pool.query('SELECT 1')
      await server.stop('SIGQUIT')
      server = await clusters[1].start({}, server.port)
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(pool.query('SELECT 1')).rejects.toMatchObject({
          code: 'storage_unavailable',
          message: expect.stringContaining('restart the service'),
        })
      expect(warnings).toEqual([expect.stringContaining('the data of another cluster')])
    } finally {
      pool.close()
      await server.stop('SIGQUIT')
      for (const cluster of clusters) cluster.remove()
    }
  })
})

describe.skipIf(noPostgres !== null)('two servers', () => {
  it('of which one is promoted by mistake: all connections go there, and none goes back', async () => {
    const primary = createCluster()
    let first = await primary.start()
    await first.stop()
    const standby = primary.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres`)
    first = await primary.start({}, first.port)
    const second = await standby.start()
    const url = first.url().replace(/:(\d+)/, `:$1,127.0.0.1:${second.port}`)
    const numbers: number[] = []
    const connect = connectorTo(url, { onServer: number => numbers.push(number) })
    const pool = new Pool(connect, 2)
    const listening = await connect()
    const heard: (string | null)[] = []
    listening.onNotification(payload => heard.push(payload))
    const port = async () => (await pool.query(`SELECT current_setting('port')::int AS port`))[0]?.port
    try {
      const waiting = pool.query('SELECT pg_sleep(600)')
      const failed = expect(waiting).rejects.toMatchObject({ code: 'storage_unavailable' })
      expect(await port()).toBe(first.port)
      await connect.look()
      expect([await port(), connect.server(), heard]).toEqual([first.port, 1, []])
      await query(second.url(), 'SELECT pg_promote()')
      await connect.look()
      await failed
      expect([await port(), connect.server(), heard, numbers]).toEqual([second.port, 2, [null], [2]])
      await connect.look()
      expect([await port(), connect.server()]).toEqual([second.port, 2])
      await second.stop('SIGQUIT')
      await expect(port()).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('a former primary'),
      })
    } finally {
      pool.close()
      listening.end()
      for (const server of [first, second]) await server.stop('SIGQUIT')
      for (const cluster of [primary, standby]) cluster.remove()
    }
  })

  it('are used by who takes writes; a commit that is not replicated fails; a former primary is never used', async () => {
    const primary = createCluster()
    let first = await primary.start()
    await first.stop()
    const standby = primary.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres application_name=b`)
    first = await primary.start({ synchronous_standby_names: 'b' }, first.port)
    let second = await standby.start()
    const hosts = `127.0.0.1:${second.port},127.0.0.1:${first.port}`
    const formerFirst = `127.0.0.1:${first.port},127.0.0.1:${second.port}`
    const pool = new Pool(connectorTo(first.url().replace(`127.0.0.1:${first.port}`, hosts)), 2)
    const german = await translated(first.url(), [['replication', 'Replikation']])
    const other = new Pool(connectorTo(german), 1)
    try {
      await pool.query('CREATE TABLE kept (n int)')
      await second.stop()
      const stored = pool.query('INSERT INTO kept VALUES (1)')
      await expectCancelled(first, stored)
      await expectCancelled(first, other.query('INSERT INTO kept VALUES (2)'))
      second = await startAgain(standby, second)
      await first.kill()
      await query(second.url(), 'SELECT pg_promote()')
      await expect.poll(() => pool.query('SELECT count(*) FROM kept').catch(() => null)).not.toBeNull()
      first = await primary.start({}, first.port)
      const started = new Pool(connectorTo(first.url().replace(/127.0.0.1:\d+/, formerFirst)), 1)
      const [used] = await started.query(`SELECT current_setting('port')::int AS port`)
      started.close()
      expect(used).toEqual({ port: second.port })
      await second.stop()
      await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'storage_unavailable' })
    } finally {
      pool.close()
      other.close()
      for (const server of [first, second]) await server.stop('SIGQUIT')
      for (const cluster of [primary, standby]) cluster.remove()
    }
  })
})

/** Creates a database whose role has settings that a service cannot live with. */
async function restrictedRole() {
  const url = await newDatabase()
  const { pathname } = new URL(url)
  const name = pathname.slice(1)
  const settings = {
    default_transaction_isolation: 'serializable',
    statement_timeout: '60ms',
    lock_timeout: '1ms',
    idle_in_transaction_session_timeout: '1ms',
    idle_session_timeout: '100ms',
    client_min_messages: 'error',
    ...(majorVersion() >= 17 && { transaction_timeout: '60ms' }),
  }
  await query(url, `CREATE ROLE ${name} LOGIN; ALTER DATABASE ${name} OWNER TO ${name}`)
  for (const [setting, value] of Object.entries(settings))
    await query(url, `ALTER ROLE ${name} SET ${setting} = '${value}'`)
  return { url: url.replace('postgres@', `${name}@`), role: name, settings }
}

/** Returns the URL of a database whose server says other words, each as long as its own. */
async function translated(
  url: string,
  words: readonly (readonly [own: string, other: string])[],
): Promise<string> {
  const { hostname, port } = new URL(url)
  const server = createServer(incoming => {
    const outgoing = connect(Number(port), hostname)
    incoming.pipe(outgoing)
    outgoing.on('data', data => {
      let text = data.toString('latin1')
      for (const [own, other] of words) text = text.replaceAll(own, other)
      incoming.write(text, 'latin1')
    })
    for (const socket of [incoming, outgoing]) {
      socket.on('error', () => {})
      socket.on('close', () => (socket === incoming ? outgoing : incoming).destroy())
    }
  })
  const { port: ownPort } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => void server.close())
  return Object.assign(new URL(url), { port: ownPort }).href
}

const startAgain = (cluster: Cluster, server: Server) => cluster.start({}, server.port)

/** Cancels the statement that waits for the standby, and expects that it fails. */
async function expectCancelled(server: Server, stored: Promise<unknown>): Promise<void> {
  const outcome = expect(stored).rejects.toMatchObject({ code: 'storage_unavailable' })
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
  await expect.poll(() => query(server.url(), cancel)).toHaveLength(1)
  await outcome
}

describe.skipIf(noPostgres !== null)('the schema', () => {
  it('is made once, by the first node, and refused if a newer program has replaced it', async () => {
    const url = await newDatabase()
    const pools = [1, 2, 3].map(() => new Pool(connectorTo(url), 1))
    await Promise.all(pools.map(pool => migrate(pool)))
    for (const pool of pools) pool.close()
    await query(url, 'UPDATE meta SET schema = 1000, oldest_program = 999')
    const later = new Pool(connectorTo(url), 1)
    await expect(migrate(later)).rejects.toMatchObject({ code: 'newer_database' })
    later.close()
  })

  it.each(['event', 'meta'])('is not made where another program has a table %s', async table => {
    const url = await newDatabase()
    await query(url, `CREATE TABLE ${table} (id int)`)
    const pool = new Pool(connectorTo(url), 1)
    await expect(migrate(pool)).rejects.toMatchObject({ code: 'database_not_empty' })
    pool.close()
    expect(
      await query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).toEqual([{ relname: table }])
  })
})
