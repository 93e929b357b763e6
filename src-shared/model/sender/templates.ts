import { customConnection } from './custom-connection.ts'
import { github } from './github.ts'
import type { SchemeKind } from './scheme-kind.ts'
import type { Scheme, Sender } from './sender.ts'
import type { SenderTemplate } from './sender-template.ts'
import { shopify } from './shopify.ts'
import { slack } from './slack.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { stripe } from './stripe.ts'
import { template } from './template.ts'

/** The schemes that senders sign with, in the order of menus. */
export const schemes: Readonly<Record<Scheme, SchemeKind>> = {
  'custom-connection': customConnection,
  'standard-webhooks': standardWebhooks,
  github,
  stripe,
  slack,
  shopify,
  template,
}

/** Returns the templates that a sender stands for, with its choices. One is enough to verify a request. */
export function templatesOf(sender: Sender): readonly [SenderTemplate, ...SenderTemplate[]] {
  if (sender.scheme === 'template') {
    const { scheme: _, ...own } = sender
    return [own]
  }
  const [first, ...rest] = schemes[sender.scheme].templates
  if (sender.scheme === 'custom-connection') return [first, ...rest]
  const { eventName, data } = sender
  const chosen = (one: SenderTemplate) => ({ ...one, eventName, data })
  return [chosen(first), ...rest.map(chosen)]
}
