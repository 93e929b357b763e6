import { z } from 'zod'
import { LanguageCode, range, textUpTo } from './parts.ts'

export const responseRates = ['rapid', 'normal', 'patient'] as const

/** How the agent sounds on a call, and when it speaks. */
export const Voice = z.object({
  voice: textUpTo(200).default('').describe('The provider’s name of a voice; empty for its default.'),
  responseRate: z.enum(responseRates).default('normal'),
  silenceTimeout: range(100, 60_000, 'milliseconds')
    .default(700)
    .describe('Milliseconds of silence after which the caller has finished.'),
  interruptionThreshold: range(0, 10_000, 'milliseconds')
    .default(300)
    .describe('Milliseconds that the caller must speak to interrupt the agent.'),
  language: LanguageCode.default('en-US'),
  accent: textUpTo(200).default(''),
})
export type Voice = z.infer<typeof Voice>
