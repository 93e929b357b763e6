import { z } from 'zod'
import { nearestName } from '../nearest-name.ts'

const nouns: Readonly<Record<string, string>> = {
  string: 'a string in double quotes',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  set: 'an array',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  date: 'a date',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  url: 'Write an absolute URL: https://api.example.com.',
  datetime: 'Write a date and time as in 2026-11-22T08:00:00.000Z.',
  date: 'Write a date as in 2026-11-22.',
  time: 'Write a time as in 08:00:00.',
  email: 'Write an email address.',
  base64: 'Write this in Base64.',
  json_string: 'Write this as JSON.',
}

/**
 * Returns one plain sentence for any schema problem. A schema's own message takes precedence. The zod configuration
 * below uses it for every schema: REST, the dashboard, imports, the command line.
 */
export function issueSentence(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return missingField(issue) ?? `This must be ${nouns[issue.expected] ?? issue.expected}.`
    case 'invalid_value':
      return missingField(issue) ?? `This must be ${oneOf(issue.values.map(value => JSON.stringify(value)))}.`
    case 'too_big':
      return bound(issue, 'at most', 'less than', issue.maximum)
    case 'too_small':
      return bound(issue, 'at least', 'more than', issue.minimum)
    case 'not_multiple_of':
      return `This must be a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return `There is no field ${issue.keys.map(key => JSON.stringify(key.slice(0, 80))).join(', ')}.`
    case 'invalid_format':
      return formats[issue.format] ?? 'This does not have the required format.'
    case 'invalid_union':
      return missingField(issue) ?? unknownVariant(issue) ?? noForm(issue)
    case 'invalid_key':
      return 'This object has a key that is not allowed.'
    case 'invalid_element':
      return 'This contains a value that is not allowed.'
    default:
      return 'This value is not allowed.'
  }
}

/** Returns the sentence for a missing field or value; null if it is present. */
function missingField({ input, path = [] }: z.core.$ZodRawIssue): string | null {
  const name = path.at(-1)
  if (input !== undefined) return null
  return typeof name === 'string' ? `The field "${name}" is missing.` : 'A value is missing.'
}

const Variants = z.object({
  discriminator: z.string(),
  options: z.array(z.string()),
  input: z.record(z.string(), z.unknown()),
})

/** Returns the sentence for an object whose `type`, or a similar field, names no form; null for other unions. */
function unknownVariant(issue: z.core.$ZodRawIssue): string | null {
  const { data } = Variants.safeParse(issue)
  if (data === undefined) return null
  const { discriminator, options, input } = data
  const given = input[discriminator]
  const choices = `Write ${oneOf(options.map(option => JSON.stringify(option)))}.`
  if (given === undefined) return `The field "${discriminator}" is missing. ${choices}`
  if (typeof given !== 'string') return choices.replace('Write', 'This must be')
  const nearest = nearestName(given, options)
  const unknown = `There is no ${discriminator} ${JSON.stringify(given.slice(0, 80))}.`
  return nearest === null ? `${unknown} ${choices}` : `${unknown} Did you mean ${JSON.stringify(nearest)}?`
}

/**
 * Returns the sentence for a value that matches none of several forms: what the form nearest to it lacks, or else the types
 * that are allowed.
 */
function noForm({ input, errors = [] }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const isMissing = ({ path }: z.core.$ZodIssue) => path.length > 0 && valueAt(input, path) === undefined
  const weightOf = (issue: z.core.$ZodIssue) => (issue.code === 'unrecognized_keys' ? issue.keys.length : 1)
  const forms = errors.flatMap(issues => {
    const [first] = issues
    if (first === undefined || issues.some(isOtherType)) return []
    const weight = issues.reduce((sum, issue) => sum + weightOf(issue), 0)
    return { sentence: sentenceIn(first), weight, isIncomplete: issues.every(isMissing) }
  })
  const least = Math.min(...forms.map(({ weight }) => weight))
  const nearest = forms.filter(({ weight }) => weight === least)
  const shown = nearest.every(form => form.isIncomplete) ? forms.filter(form => form.isIncomplete) : nearest
  if (shown.length > 0) return [...new Set(shown.map(({ sentence }) => sentence))].join(' Or: ')
  const types = new Set(errors.flat().flatMap(issue => (isOtherType(issue) ? allowedBy(issue) : [])))
  return types.size === 0
    ? 'This does not match any of the allowed forms.'
    : `This must be ${[...types].join(' or ')}.`
}

/** Returns whether an issue says that the whole value is of another type. */
const isOtherType = ({ path, code }: z.core.$ZodIssue) =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')

function allowedBy(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'invalid_type') return [nouns[issue.expected] ?? issue.expected]
  return issue.code === 'invalid_value' ? issue.values.map(value => JSON.stringify(value)) : []
}

/** Returns the message of an issue inside a value, with the field that it is about. */
function sentenceIn({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 || message.startsWith('The field') ? message : `${path.join('.')}: ${message}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, step)
  }
  return found
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : `one of ${values.join(', ')}`
}

/** @param words precede the limit; `exclusive` precedes that of a number which must not reach it. */
function bound(
  { origin, inclusive }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  words: string,
  exclusive: string,
  limit: number | bigint,
): string {
  const isOne = Number(limit) === 1
  if (origin === 'string') return `This has ${words} ${limit} ${isOne ? 'character' : 'characters'}.`
  if (origin === 'array' || origin === 'set')
    return `This has ${words} ${limit} ${isOne ? 'entry' : 'entries'}.`
  if (origin === 'object' || origin === 'record' || origin === 'map')
    return `This has ${words} ${limit} ${isOne ? 'field' : 'fields'}.`
  return `This must be ${inclusive === false ? exclusive : words} ${limit}.`
}

z.config({ customError: issueSentence })
