import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import { type Match, makeToolIndex, matchTools, rarityOf, type ToolIndex } from './tool-index.ts'
import { queryStems } from './words.ts'

/** A connection whose tools are searched, without the actions that are not wanted. */
export type SearchedConnection = {
  readonly connection: ConnectionRecord
  readonly isWanted: (action: ActionRecord) => boolean
}

export type FoundTool = {
  readonly connection: ConnectionRecord
  readonly action: ActionRecord
  /** From 0 to 1: how much of the query it fits, and how much of its title the query names. */
  readonly score: number
}

/** Searches tools by their names, titles, descriptions and parameters. */
export type ToolSearch = ReturnType<typeof createToolSearch>

/** Characters of a query that are read. */
export const maxQuery = 500
/** Milliseconds for which the search blocks the event loop. */
const sliceMs = 4
/** The weight at which a word counts half: more of it says little more. */
const halfWeight = 2
/** The part of a score that depends on the title. */
const titlePart = 0.5

export function createToolSearch() {
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })
  /** Made by the first search. An index is kept with the actions, which are immutable. */
  const indexes = new WeakMap<ConnectionRecord['actions'], Promise<ToolIndex>>()

  function indexOf({ actions }: ConnectionRecord): Promise<ToolIndex> {
    const index = indexes.get(actions) ?? makeToolIndex(actions, slices)
    indexes.set(actions, index)
    return index
  }

  return {
    /** Returns the tools that fit a query, the best first, and how many there are of them. */
    async find(
      connections: Iterable<SearchedConnection>,
      query: string,
      limit: number,
    ): Promise<{ readonly found: FoundTool[]; readonly total: number }> {
      const stems = queryStems(query.slice(0, maxQuery))
      const matches: (Match & { readonly connection: ConnectionRecord })[] = []
      let tools = 0
      for (const { connection, isWanted } of connections) {
        const index = await indexOf(connection)
        await slices.run(() => {
          tools += connection.actions.filter(isWanted).length
          for (const match of matchTools(index, connection.name, stems, isWanted))
            matches.push({ ...match, connection })
        })
      }
      return slices.run(() => {
        const rarities = stems.map((_, at) => {
          const count = matches.filter(({ weights }) => (weights[at] ?? 0) > 0).length
          return count === 0 ? 0 : rarityOf(count, tools)
        })
        const found = matches
          .map(({ connection, action, weights, title }) => ({
            connection,
            action,
            score: scoreOf(weights, rarities, title),
          }))
          .sort((one, other) => other.score - one.score)
        return { found: found.slice(0, limit), total: found.length }
      })
    },
  }
}

/** Stems that no tool has do not count, so that a question may have more words than a tool. */
function scoreOf(weights: readonly number[], rarities: readonly number[], title: number): number {
  let fits = 0
  let all = 0
  for (const [at, rarity] of rarities.entries()) {
    const weight = weights[at] ?? 0
    fits += (rarity * weight) / (weight + halfWeight)
    all += rarity
  }
  return (fits / all) * (1 - titlePart + titlePart * Math.min(title, 1))
}
