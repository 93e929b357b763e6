import { z } from 'zod'
import type { Action } from './action.ts'
import { ActionId, ConnectionId } from './identifiers.ts'
import { wordsOf } from './subject.ts'

/** Something that makes a model choose or use a tool wrongly, or pay more for it than it has to. */
export const ToolWarning = z.discriminatedUnion('code', [
  z.object({
    code: z.literal('no_use_case').describe('The description does not say when to use the tool.'),
  }),
  z.object({
    code: z.literal('long_description').describe('Each conversation pays for the description.'),
    characters: z.int(),
  }),
  z.object({
    code: z
      .literal('undescribed_parameter')
      .describe('It has no description, or one that only repeats its name.'),
    parameter: z.string(),
  }),
  z.object({
    code: z
      .literal('look_alike')
      .describe('Another tool of the workspace has a similar name or description.'),
    connectionId: ConnectionId,
    actionId: ActionId,
    toolName: z.string(),
  }),
  z.object({
    code: z
      .literal('large_response')
      .describe('The last response was large, and no responseMapping selects what the model needs.'),
    bytes: z.int(),
  }),
])
export type ToolWarning = z.infer<typeof ToolWarning>

/** In characters; about 200 tokens. */
export const longDescription = 800
/** In bytes. */
export const largeResponse = 4096

type Judged = Pick<Action, 'description' | 'parameters' | 'responseMapping'>

/**
 * Returns the warnings about a tool by itself, without `look_alike`.
 *
 * @param lastResponseBytes the size of the last response with a status of 2xx; null for none.
 */
export function toolWarnings(action: Judged, lastResponseBytes: number | null): ToolWarning[] {
  const { description, parameters, responseMapping } = action
  const warnings: ToolWarning[] = []
  if (!saysWhen(description)) warnings.push({ code: 'no_use_case' })
  if (description.length > longDescription)
    warnings.push({ code: 'long_description', characters: description.length })
  for (const { name, description } of parameters)
    if (onlyRepeats(name, description)) warnings.push({ code: 'undescribed_parameter', parameter: name })
  const isMapped = Object.keys(responseMapping ?? {}).length > 0
  if (!isMapped && lastResponseBytes !== null && lastResponseBytes > largeResponse)
    warnings.push({ code: 'large_response', bytes: lastResponseBytes })
  return warnings
}

/** Words that introduce a use: “Use it when …”, “falls der Kunde …”, “si le client …”. */
const useWords = new Set(
  (
    'when whenever if use used useful call called before after once unless only case ' +
    'wenn wann falls sobald bevor nachdem nutze benutze verwende verwenden ' +
    'quand lorsque si avant utiliser utilise utilisez appeler ' +
    'cuando antes usar usa use llamar quando prima usare se ' +
    'als wanneer indien gebruik när om innan använd når hvis før brug bruk kun'
  ).split(' '),
)

/** Returns whether a text says when to use the tool. One without a Latin letter is not judged. */
function saysWhen(text: string): boolean {
  const words = lettersOf(text)
  return !/\p{Script=Latin}/u.test(text) || words.some(word => useWords.has(word))
}

const lettersOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []

const fillers = new Set(
  'the a an of this that its for to in by with and or der die das le la el de'.split(' '),
)

function onlyRepeats(name: string, description: string): boolean {
  const known = new Set(wordsOf(name))
  const words = lettersOf(description)
  return words.every(word => fillers.has(word) || known.has(word)) && !/\d/.test(description)
}

export type Tellable = Pick<Action, 'actionId' | 'toolName' | 'description'> & {
  readonly connectionId: string
}

/** The number of look-alike tools that a warning names at most. */
const maxLookAlikes = 3
/** The least share of their words that two alike descriptions have in common. */
const alikeShare = 0.75
/** A description with fewer words is too short to compare. */
const minWords = 4
/** Words after these are not compared. */
const maxWords = 60

/**
 * Returns, for each tool that looks like others, the warnings that name them. Names are alike if they have the same words
 * in any order, where `get`, `fetch` and `look_up` count as one word; descriptions if they share three quarters of their
 * words.
 */
export function lookAlikes(tools: readonly Tellable[]): Map<string, ToolWarning[]> {
  const warnings = new Map<string, ToolWarning[]>()
  for (const [one, other] of [...alikeNames(tools), ...alikeDescriptions(tools)]) {
    warn(one, other)
    warn(other, one)
  }
  return warnings

  function warn({ actionId: of }: Tellable, { connectionId, actionId, toolName }: Tellable): void {
    const list = warnings.get(of) ?? []
    const isNamed = list.some(warning => warning.code === 'look_alike' && warning.actionId === actionId)
    if (!isNamed && list.length < maxLookAlikes)
      warnings.set(of, [...list, { code: 'look_alike', connectionId, actionId, toolName }])
  }
}

type Pair = readonly [Tellable, Tellable]

function alikeNames(tools: readonly Tellable[]): Pair[] {
  return pairsOf(
    Map.groupBy(tools, ({ toolName }) => [...new Set(wordsOf(toolName).flatMap(meaningOf))].sort().join(' ')),
  )
}

/** Pairs each member with the first few of its group, so every tool gets some look-alikes. */
function pairsOf(groups: ReadonlyMap<string, readonly Tellable[]>): Pair[] {
  return [...groups.values()].flatMap(group =>
    group
      .slice(0, maxLookAlikes + 1)
      .flatMap((one, index) => group.slice(index + 1).map(other => [one, other] as const)),
  )
}

function alikeDescriptions(tools: readonly Tellable[]): Pair[] {
  const described = Map.groupBy(tools, ({ description }) => wordsOfText(description).sort().join(' '))
  described.forEach((_group, key) => {
    if (key.split(' ').length < minWords) described.delete(key)
  })
  const pairs = pairsOf(described)
  const texts = [...described].flatMap(([key, [first]]) =>
    first === undefined ? [] : [{ tool: first, words: new Set(key.split(' ')) }],
  )
  const counts = new Map<string, number>()
  for (const { words } of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  /** Texts by the rarest words of each: two alike texts have at least one of them in common. */
  const byRareWord = new Map<string, typeof texts>()
  for (const text of texts) {
    const { words, tool } = text
    const rarestFirst = [...words].sort(
      (a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || (a < b ? -1 : 1),
    )
    const candidates = new Set<(typeof texts)[number]>()
    for (const word of rarestFirst.slice(0, words.size - Math.ceil(alikeShare * words.size) + 1)) {
      const sharing = byRareWord.get(word) ?? []
      for (const other of sharing) candidates.add(other)
      byRareWord.set(word, [...sharing, text])
    }
    for (const other of candidates) if (isAlike(words, other.words)) pairs.push([other.tool, tool])
  }
  return pairs
}

function isAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter(word => other.has(word)).length
  return shared >= alikeShare * (one.size + other.size - shared)
}

function wordsOfText(text: string): string[] {
  const words = lettersOf(text).filter(word => !fillers.has(word))
  return [...new Set(words.slice(0, maxWords).flatMap(meaningOf))]
}

const synonyms: Readonly<Record<string, string>> = {
  fetch: 'get',
  find: 'get',
  look: 'get',
  lookup: 'get',
  read: 'get',
  retrieve: 'get',
  load: 'get',
  show: 'get',
  add: 'create',
  make: 'create',
  new: 'create',
  insert: 'create',
  change: 'update',
  edit: 'update',
  modify: 'update',
  set: 'update',
  remove: 'delete',
  erase: 'delete',
}

/** Returns a word for comparing: its synonym, without a plural s; nothing for the `up` of “look up”. */
function meaningOf(word: string): string[] {
  if (word === 'up' || word === 'by') return []
  const singular = word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  return [(Object.hasOwn(synonyms, singular) ? synonyms[singular] : undefined) ?? singular]
}
