import { z } from 'zod'
import { maxDepth } from '../json/depth.ts'
import { numberText } from '../json/exact-json.ts'
import { isNestedDeeper } from '../json/json-depth.ts'
import { parseJson } from '../json/parse-json.ts'
import { CallArguments, ExactArguments } from './call.ts'
import { parseSample } from './event-type.ts'
import { ActionId, CallId, CaseId, Moment } from './identifiers.ts'
import { parseDotPath } from './response-mapping.ts'
import { NewName } from './text.ts'

/** `textOfConnection`: characters of all its cases together, so that its export can be imported. */
export const maxCases = {
  ofAction: 100,
  ofConnection: 1000,
  atOnce: 200,
  textOfConnection: 4 * 1024 * 1024,
} as const
const maxFields = 50
/** In characters: the arguments of a case, and all its values together. The texts of calls are kept up to the same. */
const maxText = 64 * 1024
const maxPattern = 1000

/** The kinds of rules for a field of the answer. */
export const CaseRule = z.enum(['equals', 'exists', 'absent', 'type', 'matches', 'count'])
export type CaseRule = z.infer<typeof CaseRule>

/** The types that the rule `type` knows. `date`: a text that is a date or a time in ISO 8601. */
export const FieldType = z.enum(['string', 'number', 'boolean', 'object', 'array', 'null', 'date'])
export type FieldType = z.infer<typeof FieldType>

export const ExpectedStatus = z
  .union([z.int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])], {
    error: 'A status is a number from 100 to 599, or 2xx, 3xx, 4xx or 5xx.',
  })
  .nullable()
  .describe('`200`, or a class such as `2xx`; null for any.')
export type ExpectedStatus = z.infer<typeof ExpectedStatus>

/** A case as it is stored. JSON values are texts, which keep all digits of their numbers. */
export const CaseData = z.object({
  name: z.string(),
  argumentsText: z.string(),
  expect: z.object({
    status: ExpectedStatus,
    fields: z.array(z.object({ path: z.string(), rule: CaseRule, valueText: z.string().optional() })),
  }),
})
export type CaseData = z.infer<typeof CaseData>

const JsonText = z
  .string()
  .max(maxText, `A JSON text has at most ${maxText} characters.`)
  .refine(text => parseJson(text) !== undefined, 'This must be JSON.')
  .refine(text => !isNestedDeeper(text, maxDepth), `This is nested deeper than ${maxDepth} levels.`)

/** Whether the value of a rule is one that it can compare with; null for yes. */
const valueProblems: Readonly<Record<CaseRule, (value: unknown) => string | null>> = {
  equals: value => (value === undefined ? 'Set the value that the field must equal.' : null),
  exists: hasNone,
  absent: hasNone,
  type: value =>
    FieldType.safeParse(value).success ? null : `Set one of the types ${FieldType.options.join(', ')}.`,
  matches: value =>
    typeof value === 'string' && value !== '' && value.length <= maxPattern
      ? null
      : `Set a text of 1 to ${maxPattern} characters. * stands for any characters.`,
  count: value =>
    // Number(null) is 0.
    z
      .int()
      .min(0)
      .safeParse(Number(numberText(value) ?? Number.NaN)).success
      ? null
      : 'Set how many items the field must have: 0 or more.',
}

function hasNone(value: unknown): string | null {
  return value === undefined ? null : 'This rule takes no value.'
}

const valueText = JsonText.optional().describe(
  '`value` as JSON text, which keeps all digits of numbers; takes precedence over `value`.',
)

/** A rule in a request or an import document. */
const GivenField = z
  .object({
    path: z
      .string()
      .max(1000)
      .refine(
        path => parseDotPath(path) !== null,
        'Write a dot-path: customer.name, items[0].sku, $headers.etag or $status.',
      )
      .describe('A dot-path into the body; `$headers` and `$status` lead to the rest of the answer.'),
    rule: CaseRule,
    value: z.unknown().optional(),
    valueText,
  })
  .superRefine(({ rule, value, valueText }, context) => {
    const given = valueText === undefined ? value : parseJson(valueText)
    const message = valueProblems[rule](given)
    if (message !== null) context.addIssue({ code: 'custom', path: ['value'], message })
  })

const given = {
  name: NewName,
  arguments: CallArguments.default({}),
  argumentsText: JsonText.refine(text => parseSample(text) !== null, 'The arguments must be a JSON object.')
    .optional()
    .describe(
      '`arguments` as JSON text, which keeps all digits of numbers; takes precedence over `arguments`.',
    ),
  expect: z.object({
    status: ExpectedStatus.default(null),
    fields: z.array(GivenField).max(maxFields, `A case has at most ${maxFields} fields.`).default([]),
  }),
}

/** A case in a request or an import document. */
export const NewCase = z.object({ ...given, expect: given.expect.prefault({}) })
export type NewCase = z.output<typeof NewCase>

export const CaseChange = z.object({ ...given, arguments: CallArguments }).partial()
export type CaseChange = z.output<typeof CaseChange>

/** Returns a case as it is stored. Its values may have exact numbers. */
export function storedCase({ name, arguments: args, argumentsText, expect }: NewCase): CaseData {
  return { name, argumentsText: argumentsText ?? JSON.stringify(args), expect: storedExpect(expect) }
}

/** Returns the part of a case that says what it expects, as it is stored. */
export function storedExpect({ status, fields }: NewCase['expect']): CaseData['expect'] {
  return {
    status,
    fields: fields.map(({ path, rule, value, valueText }) => {
      const text = valueText ?? JSON.stringify(value)
      return { path, rule, ...(text !== undefined && { valueText: text }) }
    }),
  }
}

/** Returns why a case is too long; null if it is not. */
export function caseTooLong({ argumentsText, expect }: CaseData): { path: string; message: string } | null {
  const message = `The arguments, and all values together, have at most ${maxText} characters.`
  if (argumentsText.length > maxText) return { path: 'arguments', message }
  const values = expect.fields.reduce((sum, { valueText = '' }) => sum + valueText.length, 0)
  return values > maxText ? { path: 'expect.fields', message } : null
}

/** Returns the characters of a case's arguments, paths and values. */
export function caseLength({ argumentsText, expect }: CaseData): number {
  return expect.fields.reduce(
    (sum, { path, valueText = '' }) => sum + path.length + valueText.length,
    argumentsText.length,
  )
}

/** A field of the answer that is not as the case expects. */
export const CaseDifference = z.object({
  path: z.string().describe('The path of the rule; `$status` for the status.'),
  rule: CaseRule,
  expected: z.unknown().optional().describe('Absent for a rule without a value.'),
  actual: z
    .unknown()
    .optional()
    .describe('Absent if the answer has no such field. A long value is the beginning of its text.'),
})
export type CaseDifference = z.infer<typeof CaseDifference>

/** Why a case has passed or not. */
export const CaseReason = z
  .enum(['passed', 'differs', 'not_called'])
  .describe('`not_called`: there was no answer, so the case has not passed.')
export type CaseReason = z.infer<typeof CaseReason>

/** The outcome of the call of a case. */
const Called = z.object({
  ok: z.boolean(),
  reason: CaseReason,
  callId: CallId.nullable().describe('Null if there was no call.'),
  status: z.int().nullable().describe('Null without an answer.'),
  totalMs: z.number(),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why there was no answer; null for an answer.'),
})

/** The result of running a case once. */
export const CaseResult = Called.extend({
  caseId: CaseId,
  actionId: ActionId,
  differences: z.array(CaseDifference).describe('In the order of the rules, after that of the status.'),
})
export type CaseResult = z.infer<typeof CaseResult>

/** The newest result of a case. */
export const LastResult = Called.extend({
  at: Moment,
  difference: CaseDifference.nullable().describe('The first one; null for none.'),
  isOld: z.boolean().describe('Whether the case or its action was changed after it.'),
})
export type LastResult = z.infer<typeof LastResult>

/** A kept call of an action, and what is expected of its answer. */
export const Case = z.object({
  caseId: CaseId,
  actionId: ActionId,
  name: z.string(),
  arguments: CallArguments,
  argumentsText: ExactArguments,
  expect: z.object({
    status: ExpectedStatus,
    fields: z.array(
      z.object({
        path: z.string(),
        rule: CaseRule,
        value: z.unknown().optional().describe('Absent for a rule without a value.'),
        valueText: ExactArguments.describe(
          '`value` as JSON text. Present only if a number in it is not exact as a double.',
        ),
      }),
    ),
  }),
  createdAt: Moment,
  updatedAt: Moment,
  last: LastResult.nullable().describe('Null if it has not run yet.'),
})
export type Case = z.infer<typeof Case>

/** The results of several cases. */
export const CasesRun = z.object({
  ok: z.boolean().describe('Whether there were cases, and all have passed.'),
  passed: z.int(),
  failed: z.int().describe('Those whose answer differs.'),
  notCalled: z.int().describe('Those without an answer.'),
  results: z.array(CaseResult),
})
export type CasesRun = z.infer<typeof CasesRun>

/** Returns the results of several cases with their counts. A run of none has not passed. */
export function casesRun(results: CaseResult[]): CasesRun {
  const count = (wanted: CaseReason) => results.filter(({ reason }) => reason === wanted).length
  const passed = count('passed')
  const ok = passed > 0 && passed === results.length
  return { ok, passed, failed: count('differs'), notCalled: count('not_called'), results }
}
