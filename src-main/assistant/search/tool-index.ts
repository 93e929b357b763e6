import type { TimeSlices } from '#main/lib/time-slices.ts'
import type { ActionRecord } from '#main/storage/config.ts'
import { type ToolWords, wordsOfTool } from './tool-words.ts'
import { stemsIn, verbsLike } from './words.ts'

/** The stems of the actions of a connection, also of those that are switched off. */
export type ToolIndex = {
  readonly actions: readonly ActionRecord[]
  /** All stems, sorted, so that those with the same beginning follow one another. */
  readonly words: readonly string[]
  /** Which actions have each stem of `words`, and its weight there. */
  readonly postings: readonly Posting[]
  /** The stems of each title, each with its share of what the title says; the shares of a title add up to 1. */
  readonly titles: readonly (readonly TitleWord[])[]
}
type Posting = { readonly places: readonly number[]; readonly weights: readonly number[] }
type TitleWord = { readonly word: string; readonly share: number }

/** How well an action fits each stem of a query; 0 for one that it does not have. */
export type Match = {
  readonly action: ActionRecord
  readonly weights: readonly number[]
  /** The share of its title that the query names, from 0 to 1. */
  readonly title: number
}

/** A stem of a query counts in full, as the beginning of a longer one less, and as a verb for the same operation less. */
const longerCounts = 0.8
const verbCounts = 0.6
/** A shorter stem begins too many others. */
const shortestBeginning = 3
/** The weight of a stem in the name of the connection, for each of its actions. */
const connectionWeight = 1

/** Makes the index of a connection’s actions, one by one in time slices. */
export async function makeToolIndex(
  actions: readonly ActionRecord[],
  slices: Pick<TimeSlices, 'run'>,
): Promise<ToolIndex> {
  const postings = new Map<string, { places: number[]; weights: number[] }>()
  const titles: ToolWords['title'][] = []
  for (const [place, action] of actions.entries())
    await slices.run(() => {
      const { weights, title } = wordsOfTool(action)
      titles.push(title)
      for (const [word, weight] of weights) {
        const posting = postings.get(word) ?? { places: [], weights: [] }
        posting.places.push(place)
        posting.weights.push(weight)
        postings.set(word, posting)
      }
    })
  return slices.run(() => {
    const words = [...postings.keys()].sort()
    const rarity = (word: string) => rarityOf(postings.get(word)?.places.length ?? 0, actions.length)
    return {
      actions,
      words,
      postings: words.map(word => postings.get(word) ?? { places: [], weights: [] }),
      titles: titles.map(title => {
        const all = title.reduce((sum, word) => sum + rarity(word), 0)
        return title.map(word => ({ word, share: rarity(word) / all }))
      }),
    }
  })
}

/** Returns how much a stem says that `count` of `all` tools have: the IDF of BM25, which is above 0. */
export function rarityOf(count: number, all: number): number {
  return Math.log(1 + (all - count + 0.5) / (count + 0.5))
}

/**
 * Returns the actions that fit at least one stem of a query.
 *
 * @param connectionName its stems count for each action.
 * @param isWanted leaves out actions, as if the index did not have them.
 */
export function matchTools(
  index: ToolIndex,
  connectionName: string,
  query: readonly string[],
  isWanted: (action: ActionRecord) => boolean,
): Match[] {
  const { actions, titles } = index
  const ofConnection = stemsIn(connectionName)
  const counts = new Map<string, number>()
  const columns = query.map(stem => {
    const isInName = ofConnection.some(word => countOf(stem, word) > 0)
    const weights = new Array<number>(actions.length).fill(isInName ? connectionWeight : 0)
    for (const [word, count, { places, weights: own }] of wordsFor(index, stem)) {
      counts.set(word, Math.max(counts.get(word) ?? 0, count))
      for (let at = 0; at < places.length; at++) {
        const place = places[at] ?? 0
        weights[place] = Math.max(weights[place] ?? 0, count * (own[at] ?? 0))
      }
    }
    return weights
  })
  const matches: Match[] = []
  for (const [place, action] of actions.entries()) {
    const weights = columns.map(column => column[place] ?? 0)
    if (weights.every(weight => weight === 0) || !isWanted(action)) continue
    const title = (titles[place] ?? []).reduce(
      (sum, { word, share }) => sum + share * (counts.get(word) ?? 0),
      0,
    )
    matches.push({ action, weights, title })
  }
  return matches
}

/** Returns how much a word counts for a stem of a query, without the verbs for the same operation. */
function countOf(stem: string, word: string): number {
  if (word === stem) return 1
  return stem.length >= shortestBeginning && word.startsWith(stem) ? longerCounts : 0
}

/** Generates the words of an index that fit a stem, with how much each counts. */
function* wordsFor(
  { words, postings }: ToolIndex,
  stem: string,
): Generator<readonly [word: string, count: number, posting: Posting]> {
  for (let at = firstFrom(words, stem); at < words.length; at++) {
    const word = words[at] ?? ''
    const count = countOf(stem, word)
    const posting = postings[at]
    if (count === 0 || posting === undefined) break
    yield [word, count, posting]
  }
  for (const verb of verbsLike(stem)) {
    const at = firstFrom(words, verb)
    const posting = postings[at]
    if (words[at] === verb && posting !== undefined) yield [verb, verbCounts, posting]
  }
}

/** Returns the place of the first word that does not sort before another. */
function firstFrom(words: readonly string[], word: string): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}
