import { z } from 'zod'
import { schemaProblems } from '../json-schema/schema-problems.ts'
import { hasAtMost } from './text.ts'

export const ParameterType = z.enum(['string', 'number', 'boolean', 'object'])
export type ParameterType = z.infer<typeof ParameterType>
/** The types of JSON values. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'list' | 'null'

/** Where a parameter is sent. `entireBody`: its value is the body. */
export const ParameterPlace = z.enum(['path', 'query', 'header', 'body', 'entireBody'])
export type ParameterPlace = z.infer<typeof ParameterPlace>

/** How a list or an object is written where it is not JSON. */
export const ParameterStyle = z.enum([
  'repeat',
  'comma',
  'space',
  'pipe',
  'brackets',
  'indexed',
  'fields',
  'deep',
  'json',
])
export type ParameterStyle = z.infer<typeof ParameterStyle>

/**
 * The fields of a parameter that say how it is sent. An action without any of them sends its parameters in the query of a
 * GET, and in a JSON body otherwise.
 */
export const sendingFields = {
  in: ParameterPlace.optional().describe(
    'Where it is sent; by default in the query of a GET or of a call without a body, else in the body.',
  ),
  wireName: z.string().optional().describe('Its name in the request; by default `name`.'),
  isList: z.boolean().optional().describe('Whether it takes a list of such values.'),
  style: ParameterStyle.optional().describe(
    'How a list or an object is written in a path, query, header or form.',
  ),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema (2020-12) of the value, or of an element of the list.'),
  value: z
    .unknown()
    .optional()
    .describe('A constant: it is sent with each call, which cannot give another value.'),
}

/** The fields of a parameter as they are stored and exported, without the rules for their texts. */
export const ParameterData = z.object({
  name: z.string(),
  type: ParameterType,
  description: z.string(),
  required: z.boolean(),
  ...sendingFields,
})

/** The fields of a parameter that say what is sent; each with a problem of its own counts as left out. */
export const SentParameter = z.object({
  name: z.string(),
  type: ParameterType.catch('string'),
  required: z.boolean().catch(true),
  in: sendingFields.in.catch(undefined),
  wireName: sendingFields.wireName.catch(undefined),
  isList: sendingFields.isList.catch(undefined),
  style: sendingFields.style.catch(undefined),
  schema: sendingFields.schema.catch(undefined),
  value: sendingFields.value,
})
export type SentParameter = z.infer<typeof SentParameter>

/** One input that the assistant supplies. */
export const Parameter = z.object({
  ...ParameterData.shape,
  name: z
    .string()
    .regex(/^[A-Za-z0-9_\-.[\]]{1,64}$/, 'A parameter name has 1 to 64 letters, digits, _ - . [ ].'),
  description: z.string().trim().min(1, 'Describe the value of the parameter.').max(2000),
  wireName: sendingFields.wireName.refine(
    name => name === undefined || (name !== '' && hasAtMost(255, name) && name.isWellFormed()),
    'The name in the request has 1 to 255 characters.',
  ),
  schema: sendingFields.schema.superRefine((schema, context) => {
    for (const { path, message } of schema === undefined ? [] : schemaProblems(schema))
      context.addIssue({ code: 'custom', path: [...path], message })
  }),
})
export type Parameter = z.infer<typeof Parameter>

/** Returns the name of a parameter in the request. */
export function wireNameOf({ name, wireName }: Pick<Parameter, 'name' | 'wireName'>): string {
  return wireName ?? name
}

/** Returns whether a parameter has a constant value, so that calls give it no argument. */
export function isConstant({ value }: Pick<Parameter, 'value'>): boolean {
  return value !== undefined
}

/** Returns the parameters that a call gives arguments for. */
export function inputsOf<One extends Pick<Parameter, 'value'>>(parameters: readonly One[]): readonly One[] {
  return parameters.some(isConstant) ? parameters.filter(one => !isConstant(one)) : parameters
}

/** Returns whether a name is snake_case. Real APIs use other names too, so another form is a warning only. */
export function isSnakeCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)
}
