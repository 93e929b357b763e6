import { z } from 'zod'
import { EnvironmentName, EnvironmentValue } from './environment.ts'
import { Moment } from './identifiers.ts'

/** How the value of a variable is made: given, or from other variables. */
export const VariableKind = z.enum(['value', 'basic', 'oauth2'])
export type VariableKind = z.infer<typeof VariableKind>

/** Visible characters and spaces, as OAuth has them in identifiers and scopes. */
const printable = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\x20-\x7e]*$/, 'Only visible ASCII characters and spaces are allowed here.')

/** The pair of Basic authentication. */
export const BasicVariable = z.object({
  user: z
    .string()
    .min(1)
    .max(1000)
    .refine(
      text => !/[:\p{Cc}]/u.test(text) && text.isWellFormed(),
      'A user name must not contain colons or control characters.',
    ),
  passwordVariable: EnvironmentName,
})
export type BasicVariable = z.infer<typeof BasicVariable>

const TokenUrl = z
  .string()
  .trim()
  .max(2048, 'A URL has at most 2048 characters.')
  .superRefine((text, context) => {
    const message = tokenUrlProblem(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

function tokenUrlProblem(text: string): string | null {
  if (/[\s\\\p{Cc}]/u.test(text))
    return 'A URL must not contain white space, control characters or backslashes.'
  if (!/^https?:\/\/[^/]/i.test(text) || !z.url().safeParse(text).success)
    return 'Write an absolute URL: https://auth.example.com/oauth2/token.'
  if (/^https?:\/\/[^/?#]*@/i.test(text))
    return 'Remove the user name and password from the URL. Give the client ID and the variable of the secret.'
  return text.includes('#') ? 'Remove the fragment (#…).' : null
}

/** An access token of OAuth 2, got with the client credentials grant (RFC 6749, 4.4). */
export const OAuth2Variable = z.object({
  tokenUrl: TokenUrl,
  clientId: printable(1000),
  secretVariable: EnvironmentName.describe('The variable with the client secret.'),
  scope: printable(4000).optional(),
  audience: printable(2048).optional().describe('Only if the provider asks for it.'),
  clientAuth: z
    .enum(['basic', 'body'])
    .describe('Whether client ID and secret are sent as a Basic header or in the body.'),
})
export type OAuth2Variable = z.infer<typeof OAuth2Variable>

const TokenState = z.object({
  expiresAt: Moment.nullable().describe('When the token ends; null without one.'),
  error: z.string().nullable().describe('Why the last attempt to get a token failed; null if it did not.'),
})
export type TokenState = z.infer<typeof TokenState>

/** A variable and where it is set, without its value. Settings take precedence over the process. */
export const EnvironmentVariable = z.object({
  name: EnvironmentName,
  sources: z.array(z.enum(['settings', 'process'])).describe('Empty if an action uses it but it is not set.'),
  kind: VariableKind.describe('How its value is made: given, or from another variable.'),
  basic: BasicVariable.optional().describe('Present for the kind `basic`.'),
  oauth2: OAuth2Variable.optional().describe('Present for the kind `oauth2`.'),
  state: TokenState.optional().describe('The token of this node. Present for the kind `oauth2`.'),
  usedBy: z
    .array(
      z.object({
        connectionId: z.string(),
        connectionName: z.string(),
        actions: z.int(),
        auth: z.literal(true).optional().describe('Present if its calls sign in with the variable.'),
      }),
    )
    .describe('Connections that use it in the headers of actions, with the number of these actions.'),
  neededBy: z
    .array(z.string())
    .optional()
    .describe('The variables that are made from it. Left out if there are none.'),
  workflows: z
    .int()
    .optional()
    .describe('How many workflows use it in a header of an HTTP request. Left out if there are none.'),
  webhooks: z.int().optional().describe('How many webhooks are signed with it. Left out if there are none.'),
  model: z.literal(true).optional().describe('Present if the model of conversations is asked with it.'),
})
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>

/** The content of a variable that is set: a value, or how it is made. */
export const VariableInput = z.object({
  value: EnvironmentValue.optional(),
  basic: BasicVariable.optional().describe(
    'Its value is the base64 of `user:password`, used as `Basic {{NAME}}`.',
  ),
  oauth2: OAuth2Variable.optional().describe('Its value is an access token, used as `Bearer {{NAME}}`.'),
})
export type VariableInput = z.infer<typeof VariableInput>

/** Adds the rule that exactly one of the fields of `VariableInput` is given. */
export const checkOneOf = z.superRefine<VariableInput>(({ value, basic, oauth2 }, context) => {
  const given = [value, basic, oauth2].filter(part => part !== undefined)
  if (given.length === 0)
    context.addIssue({ code: 'custom', path: ['value'], message: 'Give "value", "basic" or "oauth2".' })
  if (given.length > 1)
    context.addIssue({ code: 'custom', message: 'Give only one of "value", "basic" and "oauth2".' })
})

/** The result of an attempt to get the value of a variable. Never carries the value. */
export const VariableTrial = z.object({
  ok: z.boolean(),
  status: z.int().nullable().describe('The status of the token server; null without its answer.'),
  error: z
    .string()
    .nullable()
    .describe('The `error` of the token server, or the code of a failed call; null if there is none.'),
  expiresInSeconds: z.int().nullable().describe('How long the token lasts; null without one.'),
})
export type VariableTrial = z.infer<typeof VariableTrial>
