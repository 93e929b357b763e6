import { z } from 'zod'
import { checkTemplate } from './check-template.ts'
import {
  DataSource,
  EmptyBody,
  EventNameSource,
  type Place,
  Proof,
  resolveTemplate,
  type SenderTemplate,
  templateFields,
  WindowMs,
  type WrittenTemplate,
} from './sender-template.ts'
import { refusedBetween } from './signed-text.ts'
import { isPreset, namedSchemes, type PresetName, presetNames, type Scheme, schemes } from './templates.ts'

const { redelivery, publicKey, keysUrl, settings, body } = templateFields
const choices = {
  eventName: EventNameSource.optional(),
  data: DataSource.optional(),
  empty: EmptyBody.optional(),
  ...{ redelivery, publicKey, keysUrl, settings, body },
  windowMs: WindowMs.optional(),
}

/** A scheme of a provider whose owner chooses only what becomes of the body. */
function preset<Name extends Exclude<Scheme, PresetName>>(scheme: Name) {
  const [{ eventName, data }] = schemes[scheme].templates
  return z.object({
    scheme: z.literal(scheme),
    eventName: EventNameSource.default(eventName),
    data: DataSource.default(data),
    empty: EmptyBody.optional(),
    redelivery,
  })
}

const fixed = [
  z.object({ scheme: z.literal('custom-connection') }),
  ...namedSchemes.filter(isFixed).map(preset),
] as const
const PresetSender = z.object({
  scheme: z.enum(presetNames),
  verify: Proof.optional().describe('What is checked, for a preset with a choice.'),
  ...choices,
})
type PresetSender = z.infer<typeof PresetSender>

/** The schemes whose fields are fixed or can be overridden. A preset may lack its settings yet. */
export const presets = [...fixed, PresetSender] as const

/** Adds an issue for each setting that a preset needs and that is missing, and for a proof that it does not have. */
function checkPreset({ scheme, verify, settings: given = {} }: PresetSender, context: z.RefinementCtx): void {
  const { title, templates, checks } = schemes[scheme]
  const [{ verify: usual }] = templates
  if (verify !== undefined && verify !== usual && checkOf(scheme, verify) === undefined) {
    const known = checks.length === 0 ? [usual] : checks.map(({ template }) => template.verify)
    const names = known.map(name => `\`${name}\``).join(' or ')
    context.addIssue({ code: 'custom', path: ['verify'], message: `${title} is checked by ${names}.` })
  }
  for (const [name, where] of Object.entries(schemes[scheme].settings ?? {}))
    if ((given[name] ?? '') === '')
      context.addIssue({ code: 'custom', path: ['settings', name], message: `Enter it. ${where}` })
}

function isFixed(name: Scheme): name is Exclude<Scheme, PresetName | 'custom-connection' | 'template'> {
  return name !== 'custom-connection' && name !== 'template' && !isPreset(name)
}

/** How the sender of a connection signs its events. */
export const Sender = z
  .discriminatedUnion('scheme', [
    ...fixed,
    PresetSender.superRefine(checkPreset),
    z.object({ scheme: z.literal('template'), ...templateFields }).superRefine(checkTemplate, {
      // Also without a name of the event, so that all problems are said at once.
      when: ({ issues }) => issues.every(({ path }) => path?.[0] === 'eventName'),
    }),
  ])
  .describe('How the sender of a connection signs its events.')
export type Sender = z.infer<typeof Sender>

/** Returns why a sender cannot be saved; null if it can. One that was saved earlier keeps working, with a warning. */
export function movableProblem(sender: Sender): string | null {
  const pair =
    sender.scheme === 'template' ? refusedBetween(sender.signed ?? '', sender.timestampUnit === 'iso') : null
  return pair === null ? null : movableText(pair)
}

/** Says why the two placeholders must not stand side by side. */
export const movableText = ([first, second]: readonly [string, string]) =>
  `Nothing separates ${first} from ${second}, so bytes could move from one to the other under the same signature. Put a text between them.`

/** Returns a sender that names a header as a place in the shorter spelling, so that both spellings are kept alike. */
export function shortened(sender: Sender): Sender {
  if (sender.scheme !== 'template') return sender
  const { signature, timestamp, id, ...others } = sender
  const [signatureHeader, timestampHeader, idHeader] = [signature, timestamp, id].map(headerOf)
  return {
    ...others,
    ...(signatureHeader === undefined ? signature && { signature } : { signatureHeader }),
    ...(timestampHeader === undefined ? timestamp && { timestamp } : { timestampHeader }),
    ...(idHeader === undefined ? id && { id } : { idHeader }),
  }
}

const headerOf = (place: Place | undefined) =>
  place !== undefined && 'header' in place ? place.header : undefined

export const defaultSender: Sender = { scheme: 'custom-connection' }

/** Returns how the sender of a connection signs. */
export function senderOf({ sender = defaultSender }: { readonly sender?: Sender | undefined }): Sender {
  return sender
}

/** Returns the way to check the requests of a scheme that has this proof; undefined if there is nothing to choose. */
export function checkOf(scheme: Scheme, verify: Proof) {
  return schemes[scheme].checks.find(({ template }) => template.verify === verify)
}

/** Returns the templates that a sender stands for, with its choices. One is enough to verify a request. */
export function templatesOf(sender: Sender): readonly [SenderTemplate, ...SenderTemplate[]] {
  if (sender.scheme === 'template') {
    const { scheme: _, ...own } = sender
    return [resolveTemplate(own satisfies WrittenTemplate)]
  }
  const [first, ...rest] = schemes[sender.scheme].templates
  if (sender.scheme === 'custom-connection') return [first, ...rest]
  const { scheme, verify, ...given } = { verify: undefined, ...sender }
  const choices = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const chosen = (one: SenderTemplate) => withSettings({ ...one, ...choices })
  const check = verify === undefined || verify === first.verify ? undefined : checkOf(scheme, verify)
  return check === undefined ? [chosen(first), ...rest.map(chosen)] : [chosen(check.template)]
}

/** Returns whether anyone who knows the URL, or the token too, can send with this proof. */
export const isOpen = (verify: SenderTemplate['verify']) => verify === 'none' || verify === 'token'

/** Returns whether nothing signs the events of a sender. */
export const isUnsigned = (sender: Sender) => isOpen(templatesOf(sender)[0].verify)

const settingIn = /\{\{setting:([A-Za-z0-9_]+)\}\}/g

/** Returns a template whose token is checked with the values of its settings. Without a value, no token fits. */
function withSettings(template: SenderTemplate): SenderTemplate {
  const { jwt, settings = {} } = template
  if (jwt === undefined) return template
  const fill = (text: string) => text.replace(settingIn, (_, name: string) => settings[name] ?? '')
  const { audience, claims } = jwt
  return {
    ...template,
    jwt: {
      ...jwt,
      ...(audience !== undefined && { audience: fill(audience) }),
      ...(claims !== undefined && {
        claims: Object.fromEntries(Object.entries(claims).map(([name, text]) => [name, fill(text)])),
      }),
    },
  }
}
