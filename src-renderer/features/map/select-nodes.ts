import { isFailing, type MapEdge, type MapGraph, type MapNode } from './graph.ts'

/** The most nodes that are shown, besides the path of the chosen one, which has as many at most. */
export const mostNodes = 200

/** Nodes and edges of a graph. */
export type Part = { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<MapEdge> }

/** Returns the nodes from which these can be reached, those which they reach, and the edges between. */
export function pathsOf({ edges }: Pick<MapGraph, 'edges'>, ids: Iterable<string>): Part {
  const start = [...ids]
  const part = { nodes: new Set(start), edges: new Set<MapEdge>() }
  for (const [near, far] of [
    ['to', 'from'],
    ['from', 'to'],
  ] as const) {
    const byNode = Map.groupBy(edges, edge => edge[near])
    const seen = new Set(start)
    // The set grows while it is read.
    for (const id of seen)
      for (const edge of byNode.get(id) ?? []) {
        part.edges.add(edge)
        part.nodes.add(edge[far])
        seen.add(edge[far])
      }
  }
  return part
}

export type Selection = {
  readonly chosen: string | null
  /** Only what fails, with what leads there. */
  readonly onlyFailing: boolean
  /** Only these nodes, with what is connected to them; null for all. */
  readonly found: ReadonlySet<string> | null
}

export type Shown = {
  readonly nodes: readonly MapNode[]
  readonly edges: readonly MapEdge[]
  /** How many there are of this selection. */
  readonly of: number
}

/** Returns the nodes and edges that are shown: all if there are not too many, else those that fail and the busiest. */
export function shownOf(graph: MapGraph, { chosen, onlyFailing, found }: Selection): Shown {
  const failing = [...graph.nodes.values()].filter(isFailing).map(({ id }) => id)
  const parts = [found, onlyFailing ? failing : null].flatMap(ids =>
    ids === null ? [] : pathsOf(graph, ids),
  )
  const nodes = [...graph.nodes.values()].filter(({ id }) => parts.every(part => part.nodes.has(id)))
  const edges = graph.edges.filter(edge => parts.every(part => part.edges.has(edge)))
  const kept = cut(nodes, edges)
  if (chosen !== null && graph.nodes.has(chosen)) {
    const path = pathsOf(graph, [chosen])
    const most = kept.size + mostNodes
    kept.add(chosen)
    for (const id of path.nodes) if (kept.size < most) kept.add(id)
  }
  return {
    nodes: [...graph.nodes.values()].filter(({ id }) => kept.has(id)),
    edges: graph.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    of: nodes.length,
  }
}

/** Returns at most `mostNodes` ids: the ends of edges that fail, then those of the busiest, then nodes without any. */
function cut(nodes: readonly MapNode[], edges: readonly MapEdge[]): Set<string> {
  if (nodes.length <= mostNodes) return new Set(nodes.map(({ id }) => id))
  const ranked = edges.toSorted(
    (one, other) => Number(other.isFailing) - Number(one.isFailing) || other.count - one.count,
  )
  const lone = nodes.toSorted((one, other) => other.count - one.count).map(({ id }) => [id])
  const kept = new Set<string>()
  for (const ids of [...ranked.map(({ from, to }) => [from, to]), ...lone]) {
    const added = ids.filter(id => !kept.has(id))
    if (kept.size + added.length <= mostNodes) for (const id of added) kept.add(id)
  }
  return kept
}

/** Returns a function that says whether a name has all words of a text; null without words. */
export function matcherOf(text: string): ((name: string) => boolean) | null {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return name => words.every(word => name.toLowerCase().includes(word))
}

/** Returns the node at the other end of the strongest edge from or to a node; null without one. */
export function alongEdge(edges: readonly MapEdge[], id: string, direction: 'left' | 'right'): string | null {
  const [near, far] = direction === 'right' ? (['from', 'to'] as const) : (['to', 'from'] as const)
  const own = edges.filter(edge => edge[near] === id)
  return (
    own.reduce<MapEdge | null>(
      (best, edge) => (best === null || edge.count > best.count ? edge : best),
      null,
    )?.[far] ?? null
  )
}
