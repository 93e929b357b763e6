import { z } from 'zod'
import { LanguageCode, textUpTo } from './parts.ts'

/** The name and language code of a text. */
export const TranslationKey = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z0-9._-]{1,200}$/,
    'A key has 1 to 200 letters, digits, dots, - or _: greeting_en.',
  )

/** The agent's languages and its fixed texts in each. */
export const LanguageSettings = z.object({
  primaryLanguage: LanguageCode.default('en'),
  secondaryLanguage: z
    .union([z.literal(''), LanguageCode])
    .default('')
    .describe('Empty for none.'),
  autoDetect: z.boolean().default(true),
  translations: z
    .record(TranslationKey, textUpTo(4000))
    .refine(texts => Object.keys(texts).length <= 10_000, 'There may be at most 10,000 translations.')
    .default({})
    .describe('Texts by name and language code: greeting_en.'),
})
export type LanguageSettings = z.infer<typeof LanguageSettings>
