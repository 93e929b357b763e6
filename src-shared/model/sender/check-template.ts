import type { z } from 'zod'
import type { Place, Proof, SenderTemplate, WrittenTemplate } from './sender-template.ts'
import { resolveTemplate } from './sender-template.ts'
import { parseSignedText, type SignedPart, SignedTextError } from './signed-text.ts'

type Field = keyof WrittenTemplate

/** Fields that only some kinds of proof use. */
const ofKinds = [
  ...(['signature', 'encoding', 'signed', 'separator', 'publicKey', 'keysUrl', 'certificate'] as const),
  ...(['certificateHosts', 'jwt', 'timestamp', 'id', 'prefix'] as const),
] as const
type OfKind = (typeof ofKinds)[number]

const keyFields = ['publicKey', 'keysUrl', 'certificate', 'certificateHosts'] as const
const signedFields = ['signature', 'encoding', 'signed', 'separator', 'timestamp', 'id', 'prefix'] as const
const byKey = { needs: ['signature', 'encoding', 'signed'], takes: [...signedFields, ...keyFields] } as const

/** The fields that each kind of proof needs, and all of these that it takes. */
export const fieldsOfKind: Readonly<
  Record<Proof, { readonly needs: readonly OfKind[]; readonly takes: readonly OfKind[] }>
> = {
  hmac: { needs: ['signature', 'encoding', 'signed'], takes: signedFields },
  token: { needs: ['signature'], takes: ['signature', 'id', 'prefix'] },
  basic: { needs: [], takes: ['id'] },
  ed25519: byKey,
  ecdsa: byKey,
  rsa: byKey,
  'rsa-pss': byKey,
  jwt: { needs: ['jwt'], takes: ['jwt', 'id', ...keyFields] },
  none: { needs: [], takes: ['id'] },
}

const spellings = {
  signature: 'signatureHeader',
  timestamp: 'timestampHeader',
  id: 'idHeader',
} as const satisfies Partial<Record<OfKind, Field>>

/** Adds the issues of a template whose fields do not fit together. */
export function checkTemplate(written: WrittenTemplate, context: z.RefinementCtx): void {
  const refuse = (field: Field, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  const template = resolveTemplate(written)
  const { verify } = template
  const { needs, takes } = fieldsOfKind[verify]
  let isComplete = true
  for (const [place, header] of Object.entries(spellings) as [keyof typeof spellings, Field][])
    if (written[place] !== undefined && written[header] !== undefined)
      refuse(place, `\`${place}\` and \`${header}\` say the same. Write one of them.`)
  for (const field of ofKinds) {
    const has = isGiven(written, field)
    const spelling = spellingOf(written, field)
    if (has && !takes.includes(field)) refuse(spelling, `The kind \`${verify}\` does not use it. Remove it.`)
    if (has || !needs.includes(field)) continue
    refuse(spelling, `The kind \`${verify}\` needs it.`)
    isComplete = false
  }
  if (written.certificate !== undefined && written.certificateHosts === undefined)
    refuse('certificateHosts', 'Name the hosts that certificates are fetched from.')
  if (
    isComplete &&
    written.jwt !== undefined &&
    (written.jwt.header === undefined) !== (written.jwt.body === true)
  )
    refuse('jwt', 'Say where the token is: `header`, or `body: true`.')
  if (isComplete && takes.includes('signed')) checkSignedText(template, refuse)
}

function isGiven(written: WrittenTemplate, field: OfKind): boolean {
  if (field === 'prefix') return (written.prefix ?? '') !== ''
  if (field in spellings && written[spellings[field as keyof typeof spellings]] !== undefined) return true
  return written[field] !== undefined
}

/** Returns the field as the template spells it; the old spelling where it has none. */
function spellingOf(written: WrittenTemplate, field: OfKind): Field {
  if (!(field in spellings) || written[field] !== undefined) return field
  return spellings[field as keyof typeof spellings]
}

function checkSignedText(template: SenderTemplate, refuse: (field: Field, message: string) => void): void {
  let parts: SignedPart[]
  try {
    parts = parseSignedText(template.signed)
  } catch (error) {
    if (!(error instanceof SignedTextError)) throw error
    refuse('signed', error.message)
    return
  }
  const { timestamp, timestampPrefix, separator, signatureHeader, id, settings = {} } = template
  const signs = (wanted: SignedPart['kind']) => parts.some(({ kind }) => kind === wanted)
  if (signs('timestamp') && timestamp === null)
    refuse('timestampHeader', 'The signed text contains {{timestamp}}, so name the header that carries it.')
  if (timestamp !== null && !signs('timestamp') && !isSigned(parts, timestamp))
    refuse(
      'signed',
      'The signed text must contain {{timestamp}}: anybody can change a timestamp that is not signed.',
    )
  if (signs('id') && id === null)
    refuse('idHeader', 'The signed text contains {{id}}, so name the header that carries it.')
  if (id !== null && !signs('id') && !isSigned(parts, id))
    refuse('signed', 'The signed text must contain {{id}}: anybody can change an id that is not signed.')
  for (const part of parts)
    if (part.kind === 'setting' && !Object.hasOwn(settings, part.name))
      refuse('settings', `The signed text contains {{setting:${part.name}}}, so give its value.`)
  const inSignature =
    signatureHeader !== '' && template.timestampHeader?.toLowerCase() === signatureHeader.toLowerCase()
  if (inSignature && (timestampPrefix ?? '') === '')
    refuse(
      'timestampPrefix',
      'The timestamp is in the signature header, so say what comes before it: for example t=.',
    )
  if (inSignature && separator === undefined)
    refuse('separator', 'The timestamp is in the signature header, so say what separates the two.')
}

/** Returns whether a signed text covers what is at a place, although not under its own name. */
function isSigned(parts: readonly SignedPart[], place: Place): boolean {
  const signs = (...kinds: SignedPart['kind'][]) => parts.some(({ kind }) => kinds.includes(kind))
  if ('path' in place) return signs('body', 'bodyHash', 'sortedForm')
  if ('query' in place) return signs('url', 'query')
  return parts.some(part => part.kind === 'header' && part.name === place.header.toLowerCase())
}
