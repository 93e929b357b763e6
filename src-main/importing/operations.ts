import {
  type ImportChoice,
  type LeftOutOperation,
  operationName,
  type PlaceholderInPaths,
} from '#shared/model/import-operation.ts'
import { type Constants, placeholdersIn } from '#shared/model/placeholders.ts'
import type { SourceOperation } from './operation.ts'
import type { Parsed } from './parse.ts'
import { hideSecrets, type Problem, problem, warning } from './problem.ts'

/** Returns the operations of a text, or the actions of an import document or a curl command. */
export function operationsOf({ operations, content }: Parsed): readonly SourceOperation[] {
  if (operations !== null) return operations
  return (content?.actions ?? []).map(({ path, fields }) => ({
    ...{ name: operationName(fields.method, fields.path), tags: [], placeholders: [] },
    ...{ action: Number(path.at(-1)), leftOut: null },
  }))
}

/**
 * Returns the chosen part of a text: the operations that are not chosen are left out. Tags choose event types too, if any
 * of them has one. A name that no operation has, or a tag that nothing has, is an error. Pure.
 */
export function chooseOperations(parsed: Parsed, { include, tags, exclude }: ImportChoice): Parsed {
  const { content } = parsed
  if (content === null) return parsed
  const operations = operationsOf(parsed)
  const named = include == null ? null : new Set(include)
  const tagged = tags == null ? null : new Set(tags)
  const excluded = new Set(exclude ?? [])
  const isChosen = ({ name, tags: own }: SourceOperation) =>
    !excluded.has(name) &&
    ((named === null && tagged === null) ||
      named?.has(name) === true ||
      own.some(tag => tagged?.has(tag) === true))
  const left = operations.filter(one => !isChosen(one))
  const leftNames = new Set(left.map(({ name }) => name))
  const leftActions = new Set<unknown>(left.map(({ action }) => action))
  const isOfLeft = ({ path: [part, index] }: Pick<Problem, 'path'>) =>
    part === 'actions' && leftActions.has(index)
  const actions = content.actions.filter(entry => !isOfLeft(entry))
  const { eventTags = [] } = parsed
  const isTagged = eventTags.some(own => own.length > 0)
  const events =
    tagged === null || !isTagged
      ? content.events
      : content.events.filter(({ path }) => eventTags[Number(path.at(-1))]?.some(tag => tagged.has(tag)))
  const leftEntries = content.actions.length - actions.length + content.events.length - events.length
  return {
    ...parsed,
    operations: operations.map(one => (isChosen(one) ? one : { ...one, ...notChosen })),
    content: { ...content, actions, events, given: content.given - leftEntries },
    problems: [
      ...parsed.problems.filter(one => !isOfLeft(one)),
      ...unknownProblems(operations, eventTags, { include: named, tags: tagged, exclude: excluded }),
      ...(tagged === null || isTagged || events.length === 0 ? [] : [allEvents(events.length)]),
    ],
    omissions: parsed.omissions.filter(
      ({ operation }) => operation === undefined || !leftNames.has(operation),
    ),
  }
}

const notChosen = {
  placeholders: [],
  action: null,
  leftOut: { reason: 'not_chosen', message: 'it is not chosen' },
} as const

const allEvents = (count: number) =>
  warning(
    [],
    `The webhooks of the document have no tags, so ${count === 1 ? 'its event type is' : `all ${count} event types are`} taken. Choose them with "only.eventTypes".`,
  )

function unknownProblems(
  operations: readonly SourceOperation[],
  eventTags: readonly (readonly string[])[],
  chosen: Readonly<Record<keyof ImportChoice, ReadonlySet<string> | null>>,
): Problem[] {
  const names = new Set<string>(operations.map(({ name }) => name))
  const tags = new Set([...operations.flatMap(one => one.tags), ...eventTags.flat()])
  const unknown = (given: ReadonlySet<string> | null, known: ReadonlySet<string>) =>
    [...(given ?? [])].filter(name => !known.has(name))
  const said = (name: string, field: keyof ImportChoice, what: string) =>
    `"choose.${field}" contains ${name}, but the document has no such ${what}.`
  return [
    ...unknown(chosen.include, names).map(name => problem([], said(name, 'include', 'operation'))),
    ...unknown(chosen.tags, tags).map(name => problem([], unknownTag(name, [...tags]))),
    ...unknown(chosen.exclude, names).map(name => warning([], said(name, 'exclude', 'operation'))),
  ]
}

const maxTags = 20

function unknownTag(name: string, tags: readonly string[]): string {
  const unknown = `"choose.tags" contains ${name}, but the document has no`
  if (tags.length === 0) return `${unknown} tags.`
  const shown = tags.slice(0, maxTags).map(hideSecrets)
  const more = tags.length - shown.length
  const last = more === 0 ? shown.pop() : `${more} others`
  const list = shown.length === 0 ? ` is ${last}` : `s are ${shown.join(', ')} and ${last}`
  return `${unknown} such tag. Its tag${list}.`
}

/** Returns the placeholders of the operations in the order of the document, and what it says about them. */
export function describePlaceholders(parsed: Parsed): PlaceholderInPaths[] {
  const counts = new Map<string, number>()
  for (const { placeholders } of operationsOf(parsed))
    for (const name of placeholders) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .slice(0, maxPlaceholders)
    .map(([name, operations]) => ({ name, operations, ...parsed.placeholderHints?.get(name) }))
}

/** Returns a warning for each constant that no path needs. */
export function unusedConstants(parsed: Parsed, constants: Constants): Problem[] {
  if (parsed.content === null) return []
  const used = new Set(operationsOf(parsed).flatMap(({ name }) => placeholdersIn(name)))
  return Object.keys(constants)
    .filter(name => !used.has(name))
    .map(name =>
      warning([], `"placeholders" contains ${name}, but no path of the document has this placeholder.`),
    )
}

const maxPlaceholders = 1000
/** Characters of the listed operations. */
const maxListed = 2 * 1024 * 1024

/**
 * Returns the operations that become no action, in the order of the document, and their number. Lists only the first ones
 * of very many.
 */
export function describeLeftOut(parsed: Parsed): { leftOut: LeftOutOperation[]; leftOutTotal: number } {
  const leftOut: LeftOutOperation[] = []
  let size = 0
  let total = parsed.moreLeftOut ?? 0
  for (const { name, tags, leftOut: why } of operationsOf(parsed)) {
    if (why === null) continue
    total++
    if (size > maxListed) continue
    const message = hideSecrets(why.message)
    const listed = { operation: hideSecrets(name), tags: tags.map(hideSecrets), ...why, message }
    size += JSON.stringify(listed).length
    leftOut.push(listed)
  }
  return { leftOut, leftOutTotal: total }
}
