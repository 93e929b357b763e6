import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import type { NodeSetup, Nodes } from './nodes.ts'

/** A way in which a node is silent, so that the others answer a change without it. */
export type Silence = {
  readonly name: string
  /** How the node is started. */
  readonly setup?: NodeSetup
  /** Whether it makes the others silent too. */
  readonly isOfAll?: true
  /** Makes the node at this place silent. Returns the function that ends it. */
  begin(nodes: Nodes, node: number, url: string): Promise<() => Promise<void>>
}

/** Longer than others wait for a node. */
const lockedMs = 5600

const Listed = z.array(z.object({ slot: z.int(), isThis: z.boolean() }))

function stopped(name: string, setup: NodeSetup = {}): Silence {
  return {
    ...{ name, setup },
    async begin(nodes, node) {
      const { process } = nodes.at(node)
      process.kill('SIGSTOP')
      return async () => void process.kill('SIGCONT')
    },
  }
}

/** @param sql locks what the node needs for its heartbeat. $slot is its slot. */
function locked(name: string, sql: string): Silence {
  return {
    name,
    async begin(nodes, node, url) {
      const own = Listed.parse(await nodes.at(node).call('GET', '/nodes')).find(({ isThis }) => isThis)
      const client = new Client(url)
      await client.connect()
      await client.query(`BEGIN; ${sql.replace('$slot', String(own?.slot))}`)
      const until = performance.now() + lockedMs
      return async () => {
        await delay(Math.max(0, until - performance.now()))
        await client.end()
      }
    },
  }
}

const hidingPauses = new URL('hide-pauses.ts', import.meta.url).href

export const silences: readonly Silence[] = [
  stopped('a node hangs'),
  stopped('a node is suspended, and its clocks too', {
    env: { NODE_OPTIONS: `--import ${hidingPauses}` },
  }),
  locked('the heartbeat of a node is locked out', 'SELECT FROM node WHERE slot = $slot FOR UPDATE'),
  { ...locked('all heartbeats are locked out', 'LOCK TABLE node'), isOfAll: true },
]
