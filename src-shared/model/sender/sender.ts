import { z } from 'zod'
import { github } from './github.ts'
import type { SchemeKind } from './scheme-kind.ts'
import { checkTemplate, DataSource, EventNameSource, templateFields } from './sender-template.ts'
import { shopify } from './shopify.ts'
import { slack } from './slack.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { stripe } from './stripe.ts'

/** A scheme of a provider: its owner chooses only what becomes of the body. */
function preset<Scheme extends string>(scheme: Scheme, { templates: [{ eventName, data }] }: SchemeKind) {
  return z.object({
    scheme: z.literal(scheme),
    eventName: EventNameSource.default(eventName),
    data: DataSource.default(data),
  })
}

/** The schemes whose fields are fixed. */
export const presets = [
  z.object({ scheme: z.literal('custom-connection') }),
  preset('standard-webhooks', standardWebhooks),
  preset('github', github),
  preset('stripe', stripe),
  preset('slack', slack),
  preset('shopify', shopify),
] as const

/** How the sender of a connection signs its events. */
export const Sender = z
  .discriminatedUnion('scheme', [
    ...presets,
    z.object({ scheme: z.literal('template'), ...templateFields }).superRefine(checkTemplate),
  ])
  .describe('How the sender of a connection signs its events.')
export type Sender = z.infer<typeof Sender>
export type Scheme = Sender['scheme']

export const defaultSender: Sender = { scheme: 'custom-connection' }

/** Returns how the sender of a connection signs. */
export function senderOf({ sender = defaultSender }: { readonly sender?: Sender | undefined }): Sender {
  return sender
}
