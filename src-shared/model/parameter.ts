import { z } from 'zod'

export const ParameterType = z.enum(['string', 'number', 'boolean', 'object'])
export type ParameterType = z.infer<typeof ParameterType>

/** One input that the assistant supplies (specification: Parameter). */
export const Parameter = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_\-.[\]]{1,64}$/, 'A parameter name is 1 to 64 letters, digits, _ - . [ ].'),
  type: ParameterType,
  description: z.string().trim().min(1, 'Say what belongs into the parameter.').max(2000),
  required: z.boolean(),
})
export type Parameter = z.infer<typeof Parameter>

/** Returns whether a name is snake_case. Real APIs use other names too, so another form is a warning only. */
export function isSnakeCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)
}
