import { hideSecrets } from '../problem.ts'
import { oncePerObject } from './json-value.ts'
import type { FlatSchema } from './schemas.ts'
import { cut } from './texts.ts'

/** Characters of one value. */
const maxValue = 200
/** Characters of a list of values. */
const maxList = 800
/** Values of an enumeration that are read. */
const maxValues = 200
export const maxExamples = 3
export const maxHints = 1000

/**
 * Returns what a schema says about its values, as sentences for the assistant: constants, defaults, examples, formats and
 * bounds. At most 1,000 characters: leaves out the last sentences that are too long.
 *
 * @param examples those outside the schema, which come first.
 * @param isRequired whether calls must have a value.
 */
export function hintsOf(flat: FlatSchema, examples: readonly unknown[], isRequired: boolean): string {
  const values = shownOf(flat.values.slice(0, maxValues))
  if (values.length === 1)
    return isRequired ? `Always send ${values[0]}.` : `May be sent; the only allowed value is ${values[0]}.`
  const defaults = shownOf([flat.keywords.get('default')]).map(value => `Defaults to ${value}.`)
  if (values.length > 1)
    return joined([`One of: ${listed(values, flat.values.length > maxValues)}.`, ...defaults])
  const own = flat.keywords.get('examples')
  const all = [
    ...examples,
    flat.keywords.get('example'),
    ...(Array.isArray(own) ? own.slice(0, maxExamples) : []),
  ]
  const samples = [...new Set(shownOf(all))].slice(0, maxExamples)
  return joined([
    ...formatHints(flat, samples.length > 0),
    ...boundHints(flat),
    ...defaults,
    ...(samples.length === 0 ? [] : [`Example${samples.length === 1 ? '' : 's'}: ${samples.join(', ')}.`]),
  ])
}

function joined(sentences: readonly string[]): string {
  let text = ''
  for (const sentence of sentences)
    if (text.length + sentence.length < maxHints) text += text === '' ? sentence : ` ${sentence}`
  return text
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  duration: 'P1DT2H',
}
/** They say no more than the type. */
const silentFormats = /^(u?int\d*|float|double|decimal|string)$/

function formatHints({ types, keywords }: FlatSchema, hasExample: boolean): string[] {
  const format = keywords.get('format')
  const isWhole = types.has('integer') && !types.has('number')
  const hints = isWhole ? ['A whole number.'] : []
  if (typeof format === 'string' && format !== '' && !silentFormats.test(format)) {
    const example = Object.hasOwn(formats, format) && !hasExample ? `, such as ${formats[format]}` : ''
    hints.push(`Format: ${hideSecrets(cut(format, maxValue))}${example}.`)
  }
  return hints
}

function boundHints({ keywords }: FlatSchema): string[] {
  const hints: string[] = []
  const [low, above] = bound(keywords.get('minimum'), keywords.get('exclusiveMinimum'))
  const [high, below] = bound(keywords.get('maximum'), keywords.get('exclusiveMaximum'))
  if (low !== null && high !== null) hints.push(`From ${low} to ${high}.`)
  else if (low !== null) hints.push(`At least ${low}.`)
  else if (high !== null) hints.push(`At most ${high}.`)
  if (above !== null) hints.push(`More than ${above}.`)
  if (below !== null) hints.push(`Less than ${below}.`)
  const shortest = numberIn(keywords.get('minLength'))
  const longest = numberIn(keywords.get('maxLength'))
  if (longest !== null)
    hints.push(`${shortest === null ? 'At most' : `${shortest} to`} ${longest} characters.`)
  else if (shortest !== null && shortest > 1) hints.push(`At least ${shortest} characters.`)
  const pattern = keywords.get('pattern')
  if (typeof pattern === 'string' && pattern !== '' && pattern.length <= maxValue)
    hints.push(`Matches the pattern \`${hideSecrets(pattern)}\`.`)
  return hints
}

/** Returns the inclusive and the exclusive bound. OpenAPI 3.0 writes `exclusive` as a boolean. */
function bound(inclusive: unknown, exclusive: unknown): [number | null, number | null] {
  const number = numberIn(inclusive)
  return exclusive === true ? [null, number] : [number, numberIn(exclusive)]
}

/** Returns a number whose digits are exact. */
function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null
}

function listed(values: readonly string[], isCut: boolean): string {
  let text = ''
  for (const value of values) {
    if (text.length + value.length > maxList) return `${text}, …`
    text += text === '' ? value : `, ${value}`
  }
  return isCut ? `${text}, …` : text
}

/** Returns the values that can be shown, without null. */
function shownOf(values: readonly unknown[]): string[] {
  return values.map(shown).filter(text => text !== null)
}

function shown(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'object') return shownObject(value)
  if (typeof value === 'number') return numberIn(value)?.toString() ?? null
  const text = hideSecrets(cut(String(value), maxValue))
  return typeof value === 'string' && /[\s,"]|^$/.test(text) ? JSON.stringify(text) : text
}

/** Returns a small object as JSON; null for a larger one. */
const shownObject = oncePerObject(value => {
  let left = maxValue
  const count = (key: string, part: unknown) => {
    left -= key.length + (typeof part === 'string' ? part.length : 1)
    if (left < 0) throw new RangeError('too long')
    return part
  }
  try {
    return hideSecrets(JSON.stringify(value, count))
  } catch {
    return null
  }
})
