import { mostClockDifferenceMs, type NodeState, type ServiceNode } from '#shared/model/nodes.ts'
import { formatCount, formatDuration, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/pill.tsx'

export const nameOf = ({ name, nodeId }: Pick<ServiceNode, 'name' | 'nodeId'>) => name ?? nodeId

export type Health = {
  readonly tone: Tone
  readonly label: string
  /** Its meaning for events and runs. */
  readonly means: string
}

/** @param newest version of the configuration. @param ageMs how long ago it was read. */
export function healthOf(node: ServiceNode, newest: number, ageMs: number): Health {
  const seconds = Math.floor((node.silentMs + ageMs) / 1000)
  const unseen = `Not seen for ${formatDuration(seconds * 1000)}`
  switch (node.state) {
    case 'lost':
      return {
        tone: 'bad',
        label: unseen,
        means: 'It ended without notice, or does not reach the database. Its log says more.',
      }
    case 'silent':
      return {
        tone: 'warn',
        label: unseen,
        means: 'Until the database hears from it again, it accepts nothing. Other nodes go on with its runs.',
      }
    case 'draining':
      return {
        tone: 'warn',
        label:
          node.runsUnderWay === null || node.runsUnderWay === 0
            ? 'Draining'
            : `Draining: ${formatCount(node.runsUnderWay, 'run')} left`,
        means: 'It finishes what it has begun, and stops.',
      }
    case 'unready':
      return { tone: 'warn', label: 'Not ready', means: 'It does not accept events. Its log says why.' }
    case 'ready':
      if (node.hasSameToken === false)
        return {
          tone: 'warn',
          label: 'Other admin token',
          means:
            'It refuses the admin token that you have signed in with, so the dashboard signs out when it answers. Start all nodes with the same token.',
        }
      return node.configVersion < newest
        ? {
            tone: 'warn',
            label: 'Configuration behind',
            means: 'It has not applied the last change yet. Each change waits for it, up to 5 s.',
          }
        : { tone: 'ok', label: 'Ready', means: 'It accepts events and carries out runs.' }
  }
}

/** Returns what became of the runs of nodes that are lost. */
export function fateOfRuns(lost: readonly ServiceNode[]): string {
  const [it, its] = lost.length === 1 ? ['it', 'its'] : ['they', 'their']
  const held = lost.reduce((sum, { heldRuns }) => sum + heldRuns, 0)
  if (held > 0)
    return `Other nodes go on with ${its} runs in a few seconds: ${formatNumber(held)} still ${held === 1 ? 'waits' : 'wait'}.`
  const known = lost.flatMap(({ runsUnderWay }) => runsUnderWay ?? [])
  if (known.length < lost.length) return `Other nodes go on with ${its} runs.`
  const had = known.reduce((sum, runs) => sum + runs, 0)
  return had === 0
    ? 'No run was under way.'
    : `Other nodes go on with the ${had === 1 ? 'run' : `${formatNumber(had)} runs`} that ${it} had under way.`
}

const order: readonly NodeState[] = ['lost', 'silent', 'unready', 'draining', 'ready']

/** Returns nodes with those first that need attention. */
export const sortNodes = (nodes: readonly ServiceNode[]): readonly ServiceNode[] =>
  nodes.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state))

/** Returns the newest version of the configuration that a node follows. */
export const newestOf = (nodes: readonly ServiceNode[]) =>
  nodes.reduce((newest, { configVersion }) => Math.max(newest, configVersion), 0)

/** “3 of 4 nodes”: how many of them accept events; “4 nodes” if all do. */
export function readyNodes(nodes: readonly ServiceNode[]): string {
  const ready = nodes.filter(({ state }) => state === 'ready').length
  const all = formatCount(nodes.length, 'node')
  return ready === nodes.length ? all : `${formatNumber(ready)} of ${all}`
}

/** Returns how many nodes have each version, the most frequent one first. */
export function versionsOf(
  nodes: readonly ServiceNode[],
): readonly (readonly [version: string | null, count: number])[] {
  const counts = Map.groupBy(nodes, ({ version }) => version)
  return [...counts].map(([version, { length }]) => [version, length] as const).sort((a, b) => b[1] - a[1])
}

/** “2.9 s ahead”. Smaller differences are hidden by the time that the question takes. */
export const clockLabel = (differenceMs: number) =>
  Math.abs(differenceMs) < 100
    ? 'Under 0.1 s'
    : `${formatDuration(Math.abs(differenceMs))} ${differenceMs > 0 ? 'ahead' : 'behind'}`

export const isFarOff = (differenceMs: number | null) =>
  differenceMs !== null && Math.abs(differenceMs) > mostClockDifferenceMs
