import { z } from 'zod'
import {
  checkTemplate,
  DataSource,
  EmptyBody,
  EventNameSource,
  movableText,
  type SenderTemplate,
  templateFields,
} from './sender-template.ts'
import { refusedBetween } from './signed-text.ts'
import { namedSchemes, type Scheme, schemes } from './templates.ts'

/** A scheme of a provider: its owner chooses only what becomes of the body. */
function preset<Name extends Scheme>(scheme: Name) {
  const [{ eventName, data }] = schemes[scheme].templates
  return z.object({
    scheme: z.literal(scheme),
    eventName: EventNameSource.default(eventName),
    data: DataSource.default(data),
    empty: EmptyBody.optional(),
  })
}

/** The schemes whose fields are fixed. */
export const presets = [
  z.object({ scheme: z.literal('custom-connection') }),
  ...namedSchemes.filter(name => name !== 'custom-connection').map(preset),
] as const

/** How the sender of a connection signs its events. */
export const Sender = z
  .discriminatedUnion('scheme', [
    ...presets,
    z.object({ scheme: z.literal('template'), ...templateFields }).superRefine(checkTemplate),
  ])
  .describe('How the sender of a connection signs its events.')
export type Sender = z.infer<typeof Sender>

/** Returns why a sender cannot be saved; null if it can. One that was saved earlier keeps working, with a warning. */
export function movableProblem(sender: Sender): string | null {
  const pair = sender.scheme === 'template' ? refusedBetween(sender.signed) : null
  return pair === null ? null : movableText(pair)
}

export const defaultSender: Sender = { scheme: 'custom-connection' }

/** Returns how the sender of a connection signs. */
export function senderOf({ sender = defaultSender }: { readonly sender?: Sender | undefined }): Sender {
  return sender
}

/** Returns the templates that a sender stands for, with its choices. One is enough to verify a request. */
export function templatesOf(sender: Sender): readonly [SenderTemplate, ...SenderTemplate[]] {
  if (sender.scheme === 'template') {
    const { scheme: _, ...own } = sender
    return [own]
  }
  const [first, ...rest] = schemes[sender.scheme].templates
  if (sender.scheme === 'custom-connection') return [first, ...rest]
  const { eventName, data, empty } = sender
  const chosen = (one: SenderTemplate) => ({ ...one, eventName, data, ...(empty !== undefined && { empty }) })
  return [chosen(first), ...rest.map(chosen)]
}
