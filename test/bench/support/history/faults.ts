import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Direction, HangingProxy } from '../hanging-proxy.ts'
import type { Nodes } from '../nodes.ts'
import type { Database } from '../with-nodes.ts'
import type { Random } from './random.ts'
import type { ServerClock } from './server-clock.ts'

/** The things that faults act on. */
export type Cluster = {
  readonly nodes: Nodes
  /** Between each node and the server. */
  readonly proxies: readonly HangingProxy[]
  readonly database: Database
  readonly clock: ServerClock | null
  readonly random: Random
}

export type Fault = {
  readonly name: string
  /** How long it lasts, at least and at most. 0 for one that is over when it has begun. */
  readonly seconds: readonly [least: number, most: number]
  begin(cluster: Cluster): Promise<Begun>
}

export type Begun = {
  /** The nodes whose process or proxy fails. */
  readonly nodes?: readonly number[]
  end(): unknown
}

const momentary = [0, 0] as const
const nothing = () => {}
const ofNodes = `FROM pg_stat_activity WHERE application_name = 'custom-connection'`
const endBackends = `SELECT pg_terminate_backend(pid) ${ofNodes}`

/** Opens a connection to the server, not through a proxy, that no setting of the server disturbs. */
async function open({ url }: Database): Promise<Client> {
  const client = new Client(url)
  client.on('error', nothing)
  await client.connect()
  await client.query('SET statement_timeout = 0; SET default_transaction_read_only = off')
  return client
}

async function query(database: Database, statements: readonly string[]): Promise<void> {
  const client = await open(database)
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Sends SIGSTOP to so many nodes at once. */
function stopped(seconds: number, count = 1): Fault {
  return {
    name: count === 1 ? `a node hangs for ${seconds} s` : `${count} nodes hang for ${seconds} s`,
    seconds: [seconds, seconds],
    async begin({ nodes, proxies, random }) {
      const hung = random.shuffle([...proxies.keys()]).slice(0, count)
      const processes = hung.map(index => nodes.at(index).process)
      for (const process of processes) process.kill('SIGSTOP')
      return {
        nodes: hung,
        end() {
          for (const process of processes) process.kill('SIGCONT')
        },
      }
    },
  }
}

/** Kills a node and starts it again. */
const killed: Fault = {
  name: 'kill -9 of a node',
  seconds: [0, 5],
  async begin({ nodes, proxies, random }) {
    const node = random.pick([...proxies.keys()])
    await nodes.kill(node)
    return { nodes: [node], end: () => nodes.start(node) }
  },
}

/** Stops the server and starts it again. */
function restarted(name: string, stop: (database: Database) => Promise<void>): Fault {
  return {
    ...{ name, seconds: [0, 4] },
    async begin({ database }) {
      await stop(database)
      return { end: () => database.start() }
    },
  }
}

/** Lets the proxy of one node fail, or those of all. */
function proxied(
  name: string,
  fail: (proxy: HangingProxy, random: Random) => void,
  isMomentary = false,
): Fault[] {
  const among =
    (count: (all: number) => number): Fault['begin'] =>
    async ({ proxies, random }) => {
      const failing = random.shuffle([...proxies.entries()]).slice(0, count(proxies.length))
      for (const [, proxy] of failing) fail(proxy, random)
      return {
        nodes: failing.map(([node]) => node),
        end() {
          for (const [, proxy] of failing) proxy.heal()
        },
      }
    }
  return [
    { name: `a proxy ${name}`, seconds: isMomentary ? momentary : [2, 12], begin: among(() => 1) },
    { name: `every proxy ${name}`, seconds: isMomentary ? momentary : [1, 7], begin: among(all => all) },
  ]
}

const both: readonly Direction[] = ['to the server', 'to the node']

/** Holds a transaction open in which statements were carried out. */
function held(name: string, seconds: Fault['seconds'], statements: string): Fault {
  return {
    ...{ name, seconds },
    async begin({ database }) {
      const client = await open(database)
      await client.query(statements)
      return { end: () => client.end() }
    },
  }
}

const locked = (table: string) => held(`an exclusive lock on ${table}`, [2, 8], `BEGIN; LOCK TABLE ${table}`)

/** Carries out statements, one after another. */
function carriedOut(name: string, ...statements: readonly string[]): Fault {
  return {
    ...{ name, seconds: momentary },
    async begin({ database }) {
      await query(database, statements)
      return { end: nothing }
    },
  }
}

/** Carries out a statement again and again. */
function repeated(name: string, statement: string, everyMs: number): Fault {
  return {
    ...{ name, seconds: [2, 6] },
    async begin({ database }) {
      const client = await open(database)
      let isOver = false
      const repeating = (async () => {
        for (; !isOver; await delay(everyMs)) await client.query(statement)
      })()
      return {
        async end() {
          isOver = true
          await repeating.finally(() => client.end())
        },
      }
    },
  }
}

/** Gives a setting of the server another value, and ends all connections so that new ones begin with it. */
function set(setting: string, value: string): Fault {
  const reload = 'SELECT pg_reload_conf()'
  return {
    name: `${setting} is ${value}`,
    seconds: [4, 10],
    async begin({ database }) {
      await query(database, [`ALTER SYSTEM SET ${setting} = '${value}'`, reload, endBackends])
      return { end: () => query(database, [`ALTER SYSTEM RESET ${setting}`, reload]) }
    },
  }
}

const exhausted: Fault = {
  name: 'no more connections to the server',
  seconds: [3, 8],
  async begin({ database }) {
    const clients: Client[] = [await open(database)]
    await clients[0]?.query(endBackends)
    try {
      for (;;) clients.push(await open(database))
    } catch {
      return { end: () => Promise.all(clients.map(client => client.end())) }
    }
  },
}

function shifted(aheadMs: number): Fault {
  return {
    name: `the clock of the server is ${Math.abs(aheadMs) / 1000} s ${aheadMs > 0 ? 'ahead' : 'behind'}`,
    seconds: [3, 15],
    async begin({ clock }) {
      clock?.set(aheadMs)
      return { end: () => clock?.set(0) }
    },
  }
}

/** Returns all faults. @param canShift whether the clock of the server can be set. */
export function allFaults(canShift: boolean): readonly Fault[] {
  return [
    ...[killed, stopped(3), stopped(10), stopped(40), stopped(10, 2)],
    restarted('a fast restart of the server', database => database.stop('SIGINT')),
    restarted('an immediate restart of the server', database => database.stop('SIGQUIT')),
    restarted('kill -9 of the server', database => database.kill()),
    repeated('backends are ended', endBackends, 500),
    repeated('queries are cancelled', `SELECT pg_cancel_backend(pid) ${ofNodes} AND state = 'active'`, 20),
    ...proxied('delays', (proxy, random) => proxy.delay(random.between(100, 800))),
    ...proxied('hangs', proxy => proxy.hang(both)),
    ...proxied('hangs in one direction', (proxy, random) => proxy.hang([random.pick(both)])),
    ...proxied('refuses', proxy => proxy.refuse()),
    ...proxied('resets', proxy => proxy.reset(), true),
    ...proxied('half-closes', (proxy, random) => proxy.halfClose(random.pick(both)), true),
    exhausted,
    held('a held snapshot', [5, 15], 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM run LIMIT 1'),
    carriedOut(
      'VACUUM FULL',
      'VACUUM FULL run',
      'VACUUM FULL event',
      'VACUUM FULL config_head',
      'VACUUM FULL node',
    ),
    carriedOut('REINDEX', 'REINDEX TABLE run', 'REINDEX TABLE event', 'REINDEX TABLE run_step'),
    ...['run', 'event', 'node', 'config_head'].map(locked),
    set('statement_timeout', '60ms'),
    set('default_transaction_isolation', 'serializable'),
    set('default_transaction_read_only', 'on'),
    ...(canShift ? [shifted(-10_000), shifted(10_000)] : []),
  ]
}
