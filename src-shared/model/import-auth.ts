import { z } from 'zod'
import { ConnectionAuthData } from './connection-auth.ts'
import { EnvironmentName } from './environment.ts'

/** How an API signs in its callers. */
export const SignInType = z.enum(['apiKey', 'bearer', 'basic', 'oauth2', 'openIdConnect', 'other'])
export type SignInType = z.infer<typeof SignInType>

/** The security scheme of a document with which a connection shall sign in. */
export const ImportAuth = z.object({
  scheme: z.string().max(1000).describe('The name of the scheme in the document.'),
  variable: EnvironmentName.nullish().describe(
    'The environment variable with the secret; by default the one in `auth`.',
  ),
})
export type ImportAuth = z.infer<typeof ImportAuth>

/** A security scheme of a document that the connection can sign in with. */
export const OfferedAuth = z.object({
  scheme: z.string(),
  type: SignInType,
  ...ConnectionAuthData.shape,
  variable: z.string().describe('The environment variable in `value`.'),
  chosen: z.boolean().describe('Whether the connection will sign in with it.'),
  tokenUrl: z
    .string()
    .nullable()
    .describe(
      'Where tokens are fetched with client credentials, to make the variable; null for another flow.',
    ),
  scopes: z.array(z.string()).describe('The scopes that the document names for it, at most 100.'),
})
export type OfferedAuth = z.infer<typeof OfferedAuth>
