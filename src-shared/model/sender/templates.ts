import { customConnection } from './custom-connection.ts'
import { github } from './github.ts'
import type { SchemeKind } from './scheme-kind.ts'
import { shopify } from './shopify.ts'
import { slack } from './slack.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { stripe } from './stripe.ts'
import { template } from './template.ts'

const kinds = {
  'custom-connection': customConnection,
  'standard-webhooks': standardWebhooks,
  github,
  stripe,
  slack,
  shopify,
  template,
} satisfies Record<string, SchemeKind>

export type Scheme = keyof typeof kinds

/** The schemes that senders sign with, in the order of menus. */
export const schemes: Readonly<Record<Scheme, SchemeKind>> = kinds

const isScheme = (name: string): name is Scheme => Object.hasOwn(kinds, name)
export const schemeNames = Object.keys(kinds).filter(isScheme)
/** The schemes that need no description. */
export const namedSchemes = schemeNames.filter(name => name !== 'template')
