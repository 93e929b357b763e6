import { z } from 'zod'

/** Replaces a secret. Header values cannot contain this character, so masking never creates a secret. */
export const mask = '••••'

export const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'A name is letters, digits and _, not beginning with a digit.')

/** A variable and where it is set, without its value. Settings take precedence over the process. */
export const EnvironmentVariable = z.object({
  name: EnvironmentName,
  sources: z.array(z.enum(['settings', 'process'])).describe('Empty if an action uses it but it is not set.'),
  usedBy: z
    .array(z.object({ connectionId: z.string(), connectionName: z.string(), actions: z.int() }))
    .describe('Connections whose actions use it in a header, with the number of these actions.'),
  workflows: z
    .int()
    .optional()
    .describe('How many workflows use it in a header of an HTTP request. Left out if there are none.'),
  webhooks: z.int().optional().describe('How many webhooks are signed with it. Left out if there are none.'),
  model: z.literal(true).optional().describe('Present if the model of conversations is asked with it.'),
})
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>

/** The secret value of a variable. It is input only: the service never returns it. */
export const EnvironmentValue = z
  .string()
  .min(1, 'A value has at least one character.')
  .max(32_768, 'A value has at most 32768 characters.')
  .refine(
    text => !/[\r\n\0]/.test(text),
    'A value must not contain line breaks or NUL, because headers cannot. Check the pasted text.',
  )
