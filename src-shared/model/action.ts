import { z } from 'zod'
import { sendingIssues } from '../request/sending-issues.ts'
import { placeOf } from '../request/write-request.ts'
import { ActionHeaders } from './action-headers.ts'
import { fixedQueryNames, pathProblems, withOneSlash } from './action-path.ts'
import { ActionId, Moment } from './identifiers.ts'
import { Method } from './method.ts'
import { isSnakeCase, Parameter, ParameterData, SentParameter, wireNameOf } from './parameter.ts'
import { ResponseMapping } from './response-mapping.ts'
import type { SavedWarning } from './saved-warning.ts'
import { hasAtMost, Name, NewName } from './text.ts'
import { ToolName } from './tool-name.ts'

const Parameters = z.array(Parameter).max(200, 'An action has at most 200 parameters.')

const ActionPath = z
  .string()
  .superRefine((path, context) => {
    for (const message of pathProblems(path)) context.addIssue({ code: 'custom', message })
  })
  .overwrite(withOneSlash)

const maxDescription = 8000

const Texts = z.record(z.string(), z.string())

/**
 * The fields of an action as stored and exported. They have no rules for texts, so that a stored action stays readable
 * when a rule changes.
 */
export const ActionData = z.object({
  name: z.string(),
  toolName: z.string(),
  description: z.string(),
  method: Method,
  path: z.string(),
  headers: Texts.nullable(),
  parameters: z.array(ParameterData),
  sendsBody: z
    .boolean()
    .optional()
    .describe('`false`: calls have no body, and parameters without `in` are sent in the query.'),
  responseMapping: Texts.nullable(),
  isEnabled: z.boolean(),
})
type ActionData = z.infer<typeof ActionData>

const fields = {
  ...ActionData.shape,
  name: Name,
  toolName: ToolName,
  description: z
    .string()
    .trim()
    .min(1, 'Tell the assistant when and how to use the tool.')
    .refine(
      text => hasAtMost(maxDescription, text),
      `A description has at most ${maxDescription} characters.`,
    ),
  path: ActionPath,
  headers: ActionHeaders.nullable(),
  parameters: Parameters,
  responseMapping: ResponseMapping.nullable(),
} satisfies { [Field in keyof ActionData]: z.ZodType<ActionData[Field]> }

/** The fields that the rules across fields read. A field with a problem of its own counts as left out. */
const AcrossFields = z.object({
  method: Method.catch('POST'),
  path: z.string(),
  headers: Texts.nullable().catch(null),
  parameters: z.array(SentParameter),
  sendsBody: ActionData.shape.sendsBody.catch(undefined),
})

export type FieldIssue = { path: (string | number)[]; message: string }

/**
 * Returns problems across fields: a repeated parameter, one with the name of a fixed query parameter, a placeholder that
 * none fills, and values that cannot be sent where they are meant to be.
 */
export function crossFieldIssues(action: z.infer<typeof AcrossFields>): FieldIssue[] {
  const issues: FieldIssue[] = []
  const seen = new Set<string>()
  const fixed = new Set(fixedQueryNames(action.path))
  for (const [index, parameter] of action.parameters.entries()) {
    const { name } = parameter
    const at = (field: string) => ['parameters', index, field]
    if (seen.has(name)) issues.push({ path: at('name'), message: `The parameter ${name} is repeated.` })
    const wireName = wireNameOf(parameter)
    if (placeOf(parameter, action) === 'query' && fixed.has(wireName))
      issues.push({
        path: at(parameter.wireName === undefined ? 'name' : 'wireName'),
        message: `The path already has a fixed query parameter ${wireName}.`,
      })
    seen.add(name)
  }
  return [...issues, ...sendingIssues(action)]
}

/**
 * Adds `crossFieldIssues` to a schema of all fields. It also runs if single fields have problems, as long as its own
 * fields have the right types, so that all problems are reported at once.
 */
export const checkAcrossFields = z.superRefine<unknown>(
  (value, context) => {
    const { data } = AcrossFields.safeParse(value)
    if (data === undefined) return
    for (const issue of crossFieldIssues(data)) context.addIssue({ code: 'custom', ...issue })
  },
  { when: () => true },
)

/** All fields of an action that users set, with the rules across fields. */
export const ActionFields = z.object(fields).check(checkAcrossFields)
export type ActionFields = z.infer<typeof ActionFields>

/** An outbound endpoint that the assistant may call. */
export const Action = z.object({ actionId: ActionId, ...fields, createdAt: Moment, updatedAt: Moment })
export type Action = z.infer<typeof Action>

/** An action in a REST request or an import document: most fields have defaults. */
export const NewAction = z.object({
  ...fields,
  name: NewName,
  toolName: ToolName.optional().describe('By default derived from the name.'),
  method: Method.default('POST'),
  headers: ActionHeaders.nullish(),
  parameters: Parameters.default([]),
  responseMapping: ResponseMapping.nullish(),
  isEnabled: z.boolean().default(true),
})
export type NewAction = z.output<typeof NewAction>

export const ActionChange = z
  .object({
    ...fields,
    name: NewName,
    sendsBody: fields.sendsBody
      .nullable()
      .describe(`${fields.sendsBody.description} \`null\` removes the field.`),
  })
  .partial()
export type ActionChange = z.output<typeof ActionChange>

/** Returns warnings about parameters that are not in snake_case. They are valid, because real APIs have any names. */
export function actionWarnings(action: Pick<ActionFields, 'parameters'>): SavedWarning[] {
  return action.parameters.flatMap(({ name }, index) =>
    isSnakeCase(name)
      ? []
      : [
          {
            path: `parameters.${index}.name`,
            message: `${name} is not in snake_case, which is recommended.`,
          },
        ],
  )
}
