import { z } from 'zod'

/** Replaces a secret. Header values cannot contain this character, so masking never creates a secret. */
export const mask = '••••'

export const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'A name is letters, digits and _, not beginning with a digit.')

/** The secret value of a variable. It is input only: the service never returns it. */
export const EnvironmentValue = z
  .string()
  .min(1, 'A value has at least one character.')
  .max(32_768, 'A value has at most 32768 characters.')
  .refine(
    text => !/[\r\n\0]/.test(text),
    'A value must not contain line breaks or NUL, because headers cannot. Check the pasted text.',
  )
