import { z } from 'zod'

export const ParameterType = z.enum(['string', 'number', 'boolean', 'object'])
export type ParameterType = z.infer<typeof ParameterType>
/** The types of JSON values. */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'list' | 'null'

/** The fields of a parameter as they are stored and exported, without the rules for their texts. */
export const ParameterData = z.object({
  name: z.string(),
  type: ParameterType,
  description: z.string(),
  required: z.boolean(),
})

/** One input that the assistant supplies. */
export const Parameter = z.object({
  ...ParameterData.shape,
  name: z
    .string()
    .regex(/^[A-Za-z0-9_\-.[\]]{1,64}$/, 'A parameter name has 1 to 64 letters, digits, _ - . [ ].'),
  description: z.string().trim().min(1, 'Describe the value of the parameter.').max(2000),
})
export type Parameter = z.infer<typeof Parameter>

/** Returns whether a name is snake_case. Real APIs use other names too, so another form is a warning only. */
export function isSnakeCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)
}
