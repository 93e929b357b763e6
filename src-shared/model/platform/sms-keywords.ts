import { z } from 'zod'
import { textUpTo } from './parts.ts'

/** The longest text message, ten parts long. */
const Answer = textUpTo(1530).min(1, 'Write the answer.')

/** The answers to STOP, HELP and MENU. */
export const SmsKeywords = z.object({
  stop: Answer.default('You will get no more messages.').describe('STOP unsubscribes.'),
  help: Answer.default('Reply MENU for options or STOP to unsubscribe.'),
  menu: Answer.default('Reply HELP for help or STOP to unsubscribe.').describe('The options.'),
})
export type SmsKeywords = z.infer<typeof SmsKeywords>
