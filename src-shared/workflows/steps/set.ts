import { z } from 'zod'
import { maxDepth } from '#shared/json/depth.ts'
import { numberText, tryParseExact } from '#shared/json/exact-json.ts'
import { isNumberText } from '#shared/json/exact-number.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'
import { mask } from '#shared/model/environment.ts'
import { TemplatedJson } from '#shared/model/template.ts'
import type { Renderer } from '../renderer.ts'
import { textOf } from '../templates.ts'
import { decided, impossible, type StepKind, simple, stepFields, textsIn } from './step-kind.ts'

export const maxSetValues = 50

export const SetType = z.enum(['text', 'number', 'boolean', 'list', 'json'])
export type SetType = z.infer<typeof SetType>

const SetValue = z.object(
  {
    value: TemplatedJson,
    as: SetType.optional().describe('What the value becomes. Left out: it stays as it is.'),
  },
  'Write an object with the value: {"value": "{{quantity}}", "as": "number"}.',
)
export type SetValue = z.infer<typeof SetValue>

const ValueName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/)
  .max(64)
const nameRule = 'A name begins with a letter, and has at most 64 letters, digits and _.'

export const SetStep = z.object({
  ...stepFields,
  type: z.literal('set'),
  values: z
    .record(ValueName, SetValue, { error: ({ code }) => (code === 'invalid_key' ? nameRule : undefined) })
    .refine(values => {
      const { length } = Object.keys(values)
      return length > 0 && length <= maxSetValues
    }, `Set 1 to ${maxSetValues} values.`),
})
export type SetStep = z.infer<typeof SetStep>

/** Computes values that later steps use. */
export const set: StepKind<SetStep> = {
  ...simple(SetStep),
  does: 'decide',
  takesSecrets: true,
  texts: ({ values }) =>
    Object.entries(values).flatMap(([name, { value }]) => textsIn(value, ['values', name, 'value'])),
  outputNames: ({ values }) => Object.keys(values),
  check({ values }, { add, isFull }) {
    for (const [name, { value, as }] of Object.entries(values)) {
      if (isFull()) return
      if (as === undefined || JSON.stringify(value).includes('{{')) continue
      const problem = conversionProblem(value, as)
      if (problem !== null) add('error', 'type_mismatch', ['values', name, 'value'], problem)
    }
  },
  prepare({ values }, render) {
    const output: Record<string, unknown> = {}
    const shown: Record<string, unknown> = {}
    let isMasked = false
    for (const [name, { value: template, as }] of Object.entries(values)) {
      const value = rendered(template, render)
      // A variable without a value sets nothing, as in an object.
      if (value === undefined) continue
      const problem = as === undefined || value === null ? null : conversionProblem(value, as)
      if (problem !== null) return impossible(null, 'invalid_value', `${name}: ${problem}`)
      const converted = as === undefined || value === null ? value : convertedTo(as, value)
      const instead = shownOf(template, value, converted, as, render.shown)
      isMasked ||= instead !== converted
      output[name] = converted
      shown[name] = instead
    }
    if (render.unfetched.size > 0)
      return impossible(
        null,
        'invalid_variable',
        `{{$env.${[...render.unfetched][0]}}} is a token, which is fetched when it is sent. Insert it in the step that sends it.`,
      )
    return { input: null, effect: isMasked ? { ...decided(output), shown } : decided(output) }
  },
}

function rendered(template: unknown, render: Renderer): unknown {
  const { value } = render.givenFields({ value: template })
  return value
}

/** Returns a value as it is shown. One that was converted has other parts than the text that has masks. */
function shownOf(
  template: unknown,
  value: unknown,
  converted: unknown,
  as: SetType | undefined,
  shown: Renderer | null,
): unknown {
  if (shown === null) return converted
  const masked = rendered(template, shown)
  if (JSON.stringify(masked) === JSON.stringify(value)) return converted
  if (as === 'text') return textOf(masked)
  return as === undefined ? masked : mask
}

/** Returns why a value cannot be converted; null if it can. It never quotes the value, which may be private. */
function conversionProblem(value: unknown, as: SetType): string | null {
  if (convertedTo(as, value) !== undefined) return null
  if (typeof value === 'string' && (as === 'list' || as === 'json') && isTooDeep(value))
    return `The text is nested deeper than ${maxDepth} levels.`
  const found = typeof value === 'string' ? 'The text' : 'The value'
  return `${found} is not ${wanted[as]}`
}

const wanted: Readonly<Record<SetType, string>> = {
  text: 'a text.',
  number: 'a number of JSON, such as 12.5.',
  boolean: 'true or false.',
  list: 'a list, or the JSON of one.',
  json: 'JSON.',
}

/** Returns a value with the type; undefined if it is not exactly such a value, or the JSON of one. */
function convertedTo(as: SetType, value: unknown): unknown {
  switch (as) {
    case 'text':
      return textOf(value)
    case 'number':
      if (typeof value === 'string') return isNumberText(value) ? tryParseExact(value) : undefined
      return numberText(value) === null ? undefined : value
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true'
      return typeof value === 'boolean' ? value : undefined
    case 'list': {
      const list = typeof value === 'string' ? parsed(value) : value
      return Array.isArray(list) ? list : undefined
    }
    case 'json':
      return typeof value === 'string' ? parsed(value) : value
  }
}

/** Returns the value of a JSON text; undefined for any other text, and for one that is nested too deep. */
function parsed(text: string): unknown {
  return isTooDeep(text) ? undefined : tryParseExact(text)
}

const isTooDeep = (text: string) => isNestedDeeper(text, maxDepth)
