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

type EvaluatedAction = Pick<Action, 'description' | 'parameters' | 'responseMapping'>

/**
 * Returns the warnings about a tool by itself, without `look_alike`.
 *
 * @param lastResponseBytes the size of the last response with a status of 2xx; null for none.
 */
export function toolWarnings(action: EvaluatedAction, lastResponseBytes: number | null): ToolWarning[] {
  const { description, parameters, responseMapping } = action
  const warnings: ToolWarning[] = []
  if (!saysWhen(description)) warnings.push({ code: 'no_use_case' })
  if (description.length > longDescription)
    warnings.push({ code: 'long_description', characters: description.length })
  for (const { name, description } of parameters)
    if (onlyRepeats(name, description)) warnings.push({ code: 'undescribed_parameter', parameter: name })
  const paths = Object.values(responseMapping ?? {})
  const isMapped = paths.length > 0 && !paths.includes('$body')
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

/** Returns whether a text says when to use the tool. One without a Latin letter is not evaluated. */
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

/** The number of tools with a word in common that are compared with one at most, those with the rarest word first. */
const maxCompared = 200

/**
 * Finds tools that a model can confuse. Names are alike if they have the same words in any order, where `get`, `fetch` and
 * `look_up` count as one word; descriptions if they share three quarters of their words. Adding, removing and asking cost
 * about the same, however many tools there are.
 */
export function createLookAlikes() {
  const known = new Map<string, Told>()
  const byName = new Map<string, Set<Told>>()
  const byText = new Map<string, Set<Told>>()
  /** Each description once, by each of its words. */
  const textsByWord = new Map<string, Set<string>>()

  function toldOf(tool: Tellable): Told {
    const words = wordsOfText(tool.description)
    const name = [...new Set(wordsOf(tool.toolName).flatMap(meaningOf))].sort().join(' ')
    return { tool, name, text: words.length < minWords ? null : words.sort().join(' ') }
  }

  function add(tool: Tellable): void {
    remove(tool.actionId)
    const told = toldOf(tool)
    const { name, text } = told
    known.set(tool.actionId, told)
    putIn(byName, name, told)
    if (text !== null && putIn(byText, text, told))
      for (const word of text.split(' ')) putIn(textsByWord, word, text)
  }

  function remove(actionId: string): void {
    const told = known.get(actionId)
    if (told === undefined) return
    known.delete(actionId)
    takeFrom(byName, told.name, told)
    if (told.text !== null && takeFrom(byText, told.text, told))
      for (const word of told.text.split(' ')) takeFrom(textsByWord, word, told.text)
  }

  /**
   * Returns a warning for each look-alike of a tool, which need not have been added, at most three.
   *
   * @param isCompared leaves out other tools.
   */
  function warningsFor(one: Tellable, isCompared: (tool: Tellable) => boolean): ToolWarning[] {
    const warnings: ToolWarning[] = []
    const named = new Set([one.actionId])
    for (const { tool } of candidates(toldOf(one))) {
      if (named.has(tool.actionId) || !isCompared(tool)) continue
      named.add(tool.actionId)
      const { connectionId, toolName } = tool
      warnings.push({ code: 'look_alike', connectionId, actionId: tool.actionId, toolName })
      if (warnings.length === maxLookAlikes) break
    }
    return warnings
  }

  function* candidates({ name, text }: Told): Generator<Told> {
    yield* byName.get(name) ?? []
    if (text === null) return
    yield* byText.get(text) ?? []
    for (const other of alikeTexts(text)) yield* byText.get(other) ?? []
  }

  function* alikeTexts(text: string): Generator<string> {
    const words = new Set(text.split(' '))
    const others = (word: string) => textsByWord.get(word) ?? new Set<string>()
    const rarestFirst = [...words].sort((a, b) => others(a).size - others(b).size)
    const compared = new Set([text])
    // Two alike texts have at least one of these words in common.
    for (const word of rarestFirst.slice(0, words.size - Math.ceil(alikeShare * words.size) + 1))
      for (const other of others(word)) {
        if (compared.has(other)) continue
        if (compared.size > maxCompared) return
        compared.add(other)
        if (isAlike(words, new Set(other.split(' ')))) yield other
      }
  }

  return { add, remove, warningsFor }
}

/** A tool with the words that are compared, as one key each; null for a description too short to compare. */
type Told = { readonly tool: Tellable; readonly name: string; readonly text: string | null }

/** Returns whether it is the first of its key. */
function putIn<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): boolean {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([item]))
  else set.add(item)
  return set === undefined
}

/** Returns whether it was the last of its key. */
function takeFrom<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): boolean {
  const set = sets.get(key)
  set?.delete(item)
  return set?.size === 0 && sets.delete(key)
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
