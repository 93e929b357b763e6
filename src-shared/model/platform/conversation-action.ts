import { z } from 'zod'
import { HttpUrl, refuseRepeats, textUpTo } from './parts.ts'

const Trigger = z
  .string()
  .max(200, 'A trigger has at most 200 characters.')
  .regex(/^keyword:/, 'Write keyword: and a word, for example keyword:refund.')
  .refine(
    text => !text.startsWith('keyword:') || /[\p{L}\p{N}]/u.test(text.slice('keyword:'.length)),
    'Write keyword: and a word, for example keyword:refund.',
  )
const FieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'A field’s name has letters, digits and _, and no digit first.')
  // Records of values cannot have this key.
  .refine(name => name !== '__proto__', 'A field cannot be named __proto__.')

const credentials = /^(https?:\/\/)[^/?#]*@/i

const SubmitUrl = HttpUrl.refine(
  text => !credentials.test(text),
  'Remove the user name and password from the URL. They would not be sent.',
)
const StoredSubmitUrl = HttpUrl.transform(text => text.replace(credentials, '$1'))

const actionTo = (submitUrl: z.ZodType<string>) =>
  z.object({
    trigger: Trigger.describe('keyword:<word>. The word matches as a whole; case is ignored.'),
    action: textUpTo(200).min(1, 'Name the action, for example open_refund.'),
    form: z.object({
      fields: z
        .array(FieldName)
        .max(50, 'A form has at most 50 fields.')
        .refine(fields => new Set(fields).size === fields.length, 'Each field may appear only once.'),
      submitUrl,
    }),
  })

/** A form that a keyword opens in a conversation. */
export const ConversationAction = actionTo(SubmitUrl)
export type ConversationAction = z.infer<typeof ConversationAction>

const listOf = (action: z.ZodType<ConversationAction>) =>
  z
    .array(action)
    .max(500, 'There may be at most 500 conversation actions.')
    .superRefine(refuseRepeats('trigger', 'Another action has this trigger.'))

/** An agent's conversation actions. */
export const ConversationActions = listOf(ConversationAction)

/** Those of a stored configuration. Earlier versions accepted credentials in a submit URL and never sent them. */
export const StoredConversationActions = listOf(actionTo(StoredSubmitUrl))
