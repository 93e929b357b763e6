import { customConnection } from './custom-connection.ts'
import { github } from './github.ts'
import { presetKinds } from './presets/index.ts'
import type { SchemeFacts, SchemeKind } from './scheme-kind.ts'
import { resolveTemplate } from './sender-template.ts'
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
  ...presetKinds,
  template,
} satisfies Record<string, SchemeKind>

export type Scheme = keyof typeof kinds
/** The schemes whose fields can be overridden. */
export type PresetName = keyof typeof presetKinds

function resolve(kind: SchemeKind): SchemeFacts {
  const [first, ...rest] = kind.templates
  const checks = (kind.checks ?? []).map(one => ({ ...one, template: resolveTemplate(one.template) }))
  return { ...kind, templates: [resolveTemplate(first), ...rest.map(resolveTemplate)], checks }
}

/** The schemes that senders sign with, in the order of menus. */
export const schemes = mapRecord(kinds, resolve)

function mapRecord<Names extends string>(
  all: Readonly<Record<Names, SchemeKind>>,
  change: (kind: SchemeKind) => SchemeFacts,
) {
  const changed: Partial<Record<Names, SchemeFacts>> = {}
  for (const name in all) changed[name] = change(all[name])
  return changed as Readonly<Record<Names, SchemeFacts>>
}

const isScheme = (name: string): name is Scheme => Object.hasOwn(kinds, name)
export const isPreset = (name: string): name is PresetName => Object.hasOwn(presetKinds, name)
export const schemeNames = Object.keys(kinds).filter(isScheme)
/** The schemes that need no description. */
export const namedSchemes = schemeNames.filter(name => name !== 'template')
export const presetNames = schemeNames.filter(isPreset)
