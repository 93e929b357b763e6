import { minuteMs } from '#shared/durations.ts'
import type { GraceHours } from '#shared/model/connection.ts'
import type { TemplateChange } from '#shared/model/diagnosis.ts'
import { fieldsOfKind } from '#shared/model/sender/check-template.ts'
import {
  checkOf,
  isOpen,
  isUnsigned,
  movableProblem,
  Sender,
  templatesOf,
} from '#shared/model/sender/sender.ts'
import { SenderSecret, secretProblem } from '#shared/model/sender/sender-secret.ts'
import {
  type BodyFormat,
  type JwtAlgorithm,
  type NamePlace,
  namePlacesOf,
  type Place,
  type Proof,
  type SenderTemplate,
} from '#shared/model/sender/sender-template.ts'
import { TriedSender } from '#shared/model/sender/sender-trial.ts'
import { isPreset, type Scheme, schemes } from '#shared/model/sender/templates.ts'
import type { Fields } from '../../../ui/draft/draft.ts'

export type PlaceIn = 'header' | 'path' | 'query'
export type NameIn = PlaceIn | 'constant' | 'present'
/** A place of the name; the paths of `present` are separated by commas. */
export type NameDraft = { readonly in: NameIn; readonly text: string }

/** The values of the form; a text of a field that is left empty is not set. */
export type SenderDraft = {
  readonly scheme: Scheme
  readonly verify: Proof
  readonly signatureIn: PlaceIn
  /** The name of the header or of the query parameter, or the path. */
  readonly signatureHeader: string
  readonly prefix: string
  readonly encoding: SenderTemplate['encoding']
  readonly algorithm: SenderTemplate['algorithm']
  readonly key: SenderTemplate['key']
  readonly signed: string
  readonly separator: '' | ' ' | ',' | ';'
  readonly timestampIn: PlaceIn
  readonly timestampHeader: string
  readonly timestampPrefix: string
  readonly timestampUnit: SenderTemplate['timestampUnit']
  /** Minutes; a number that was cleared is an empty text. */
  readonly window: string | number
  readonly idIn: PlaceIn
  readonly idHeader: string
  /** Where the public key comes from. */
  readonly keyFrom: 'text' | 'address'
  readonly publicKey: string
  readonly keysUrl: string
  readonly jwtIn: 'header' | 'body'
  readonly jwtHeader: string
  readonly jwtAlgorithm: JwtAlgorithm
  readonly issuer: string
  readonly audience: string
  readonly bodyDigestClaim: string
  readonly settings: Readonly<Record<string, string>>
  /** Empty for what is not said: JSON, and else fields of a form. */
  readonly format: '' | BodyFormat
  readonly names: readonly NameDraft[]
  readonly dataFrom: 'body' | 'path' | 'items'
  /** The path of the data or of the list; an empty one of a list is the body itself. */
  readonly data: string
  /** Whether a request without an event is accepted, and starts nothing. */
  readonly acceptsEmpty: boolean
  readonly redelivers: boolean
  /** Fields that the form does not show. */
  readonly kept: Pick<SenderTemplate, 'certificate' | 'certificateHosts'>
  /** The user name of Basic. */
  readonly user: string
  /** A new secret, token or password; empty to keep the one that is set. */
  readonly secret: string
  readonly graceHours: GraceHours
  /** Whether the owner accepts that anyone who knows the URL can send. */
  readonly accepts: boolean
}

const hidden = '••••••••'

/** The fields in the order of the form. How long a replaced secret stays valid is saved with the secret. */
export const senderFields: Fields<SenderDraft> = {
  scheme: { label: 'scheme', show: scheme => schemes[scheme].title },
  verify: 'proof',
  signatureIn: 'signature',
  signatureHeader: 'signature header',
  prefix: 'prefix',
  encoding: 'encoding',
  algorithm: 'hash function',
  signed: 'signed text',
  timestampIn: 'timestamp',
  timestampHeader: 'timestamp header',
  timestampUnit: 'unit',
  window: { label: 'window', show: minutes => `${minutes} min` },
  keyFrom: 'public key',
  publicKey: 'public key',
  keysUrl: 'address of the keys',
  jwtIn: 'token',
  jwtHeader: 'token header',
  jwtAlgorithm: 'algorithm',
  issuer: 'issuer',
  audience: 'audience',
  bodyDigestClaim: 'body digest',
  settings: 'settings',
  format: 'body',
  names: {
    label: 'event name',
    show: names => names.map(({ text }) => text).join(', '),
  },
  dataFrom: 'data',
  data: 'data',
  acceptsEmpty: {
    label: 'requests without an event',
    show: isAccepted => (isAccepted ? 'accepted' : 'refused'),
  },
  redelivers: 'redelivery',
  user: 'user name',
  secret: { label: 'signing secret', stored: null, show: secret => (secret === '' ? 'unchanged' : hidden) },
  key: 'key',
  separator: 'separator',
  timestampPrefix: 'timestamp prefix',
  idIn: 'id',
  idHeader: 'id header',
}

type TemplateDraft = Omit<SenderDraft, 'scheme' | 'user' | 'secret' | 'graceHours' | 'accepts'>

/** Returns the fields of a template. */
export function fieldsOf(template: SenderTemplate): TemplateDraft {
  const { data, jwt, signature, timestamp, id, certificate, certificateHosts } = template
  const [signatureIn, signatureHeader] = draftOfPlace(signature)
  const [timestampIn, timestampHeader] = draftOfPlace(timestamp)
  const [idIn, idHeader] = draftOfPlace(id)
  return {
    ...{ signatureIn, signatureHeader, timestampIn, timestampHeader, idIn, idHeader },
    verify: template.verify,
    prefix: template.prefix,
    encoding: template.encoding,
    algorithm: template.algorithm,
    key: template.key,
    signed: template.signed,
    separator: template.separator ?? '',
    timestampPrefix: template.timestampPrefix ?? '',
    timestampUnit: template.timestampUnit,
    window: template.windowMs / minuteMs,
    keyFrom: template.keysUrl === undefined ? 'text' : 'address',
    publicKey: template.publicKey ?? '',
    keysUrl: template.keysUrl ?? '',
    jwtIn: jwt?.body === true ? 'body' : 'header',
    jwtHeader: jwt?.header ?? '',
    jwtAlgorithm: jwt?.algorithm ?? 'RS256',
    issuer: jwt?.issuer ?? '',
    audience: jwt?.audience ?? '',
    bodyDigestClaim: jwt?.bodyDigestClaim ?? '',
    settings: template.settings ?? {},
    format: template.body ?? '',
    names: namePlacesOf(template.eventName).map(draftOfName),
    dataFrom: data === 'body' ? 'body' : 'path' in data ? 'path' : 'items',
    data: data === 'body' ? '' : 'path' in data ? data.path : data.items === 'body' ? '' : data.items,
    acceptsEmpty: template.empty === 'accept',
    redelivers: template.redelivery === 'start',
    kept: { ...(certificate && { certificate }), ...(certificateHosts && { certificateHosts }) },
  }
}

function draftOfPlace(place: Place | null): readonly [PlaceIn, string] {
  if (place === null) return ['header', '']
  if ('header' in place) return ['header', place.header]
  return 'path' in place ? ['path', place.path] : ['query', place.query]
}

function draftOfName(place: NamePlace): NameDraft {
  if ('constant' in place) return { in: 'constant', text: place.constant }
  if ('present' in place) return { in: 'present', text: place.present.join(', ') }
  const [inside, text] = draftOfPlace(place)
  return { in: inside, text }
}

export function senderDraftOf({ sender }: { readonly sender: Sender }): SenderDraft {
  return {
    ...{ scheme: sender.scheme, ...fieldsOf(templatesOf(sender)[0]) },
    ...{ user: '', secret: '', graceHours: 24, accepts: isUnsigned(sender) },
  }
}

/** Returns where the name is, in the terms of the model. */
function nameOf({ in: inside, text }: NameDraft): object {
  const value = text.trim()
  return inside === 'present'
    ? { present: value.split(/[\s,]+/).filter(path => path !== '') }
    : { [inside]: value }
}

function dataOf({ dataFrom, data }: SenderDraft): unknown {
  const path = data.trim()
  if (dataFrom === 'items') return { items: path === '' ? 'body' : path }
  return dataFrom === 'body' || path === '' ? 'body' : { path }
}

/** Returns what becomes of the body, in the terms of the model. */
function bodyOf(draft: SenderDraft): Readonly<Record<string, unknown>> {
  const names = draft.names.map(nameOf)
  return {
    eventName: names.length === 1 ? names[0] : names,
    data: dataOf(draft),
    ...(draft.acceptsEmpty && { empty: 'accept' }),
    ...(draft.redelivers && { redelivery: 'start' }),
  }
}

/** Returns what a draft says in the terms of the model, unchecked. */
function inputOf(draft: SenderDraft): object {
  const { scheme } = draft
  if (scheme === 'custom-connection') return { scheme }
  if (scheme === 'template') return { scheme, ...templateOf(draft), ...bodyOf(draft) }
  if (!isPreset(scheme)) return { scheme, ...bodyOf(draft) }
  const [usual] = schemes[scheme].templates
  const own = fieldsOf(checkOf(scheme, draft.verify)?.template ?? usual)
  const before = { ...bodyOf({ ...draft, ...own }), ...keysOf({ ...draft, ...own }) }
  const choices = Object.entries({ ...bodyOf(draft), ...keysOf(draft) })
  const differs = ([field, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(Reflect.get(before, field))
  return {
    scheme,
    ...(draft.verify !== usual.verify && { verify: draft.verify }),
    ...Object.fromEntries(choices.filter(differs)),
  }
}

/** Returns where the public keys are, the settings and the token, as far as they are given. */
function keysOf(draft: SenderDraft): Readonly<Record<string, unknown>> {
  const { verify, keyFrom, publicKey, keysUrl, settings, window } = draft
  const { takes } = fieldsOfKind[verify]
  const given = Object.entries(settings).filter(([, value]) => value !== '')
  return {
    ...(takes.includes('publicKey') &&
      keyFrom === 'text' &&
      publicKey.trim() !== '' && { publicKey: publicKey.trim() }),
    ...(takes.includes('keysUrl') &&
      keyFrom === 'address' &&
      keysUrl.trim() !== '' && { keysUrl: keysUrl.trim() }),
    ...(takes.includes('jwt') && { jwt: jwtOf(draft) }),
    ...(given.length > 0 && { settings: Object.fromEntries(given) }),
    windowMs: Math.round(Number.parseFloat(String(window)) * minuteMs),
  }
}

function jwtOf({ jwtIn, jwtHeader, jwtAlgorithm, issuer, audience, bodyDigestClaim }: SenderDraft) {
  return {
    ...(jwtIn === 'header' ? { header: jwtHeader.trim() } : { body: true }),
    algorithm: jwtAlgorithm,
    ...(issuer.trim() !== '' && { issuer: issuer.trim() }),
    ...(audience.trim() !== '' && { audience: audience.trim() }),
    ...(jwtIn === 'header' && bodyDigestClaim.trim() !== '' && { bodyDigestClaim: bodyDigestClaim.trim() }),
  }
}

/** Returns the fields of a template that its kind of proof takes. */
function templateOf(draft: SenderDraft): object {
  const { verify, prefix, encoding, algorithm, key, signed, separator, format, kept } = draft
  const { takes } = fieldsOfKind[verify]
  const placeOf = (field: 'signature' | 'timestamp' | 'id', inside: PlaceIn, text: string) => {
    if (!takes.includes(field) || text.trim() === '') return {}
    return inside === 'header' ? { [`${field}Header`]: text.trim() } : { [field]: { [inside]: text.trim() } }
  }
  return {
    ...(verify !== 'hmac' && { verify }),
    ...placeOf('signature', draft.signatureIn, draft.signatureHeader),
    ...(takes.includes('prefix') && prefix !== '' && { prefix }),
    ...(takes.includes('separator') && separator !== '' && { separator }),
    ...(takes.includes('encoding') && { encoding }),
    ...(takes.includes('signed') && { algorithm, signed }),
    ...(verify === 'hmac' && { key }),
    ...placeOf('timestamp', draft.timestampIn, draft.timestampHeader),
    ...(draft.timestampHeader.trim() !== '' && {
      ...(draft.timestampPrefix !== '' && { timestampPrefix: draft.timestampPrefix }),
      timestampUnit: draft.timestampUnit,
    }),
    ...placeOf('id', draft.idIn, draft.idHeader),
    ...(takes.includes('certificate') && kept),
    ...keysOf(draft),
    ...(format !== '' && { body: format }),
  }
}

/** Returns the sender to try with a captured request; null while a field is incomplete. */
export function triedSenderOf(draft: SenderDraft): Sender | null {
  return TriedSender.safeParse(inputOf(draft)).data ?? null
}

/** Returns the sender to save. @throws ZodError for a draft with problems. */
export function senderOf(draft: SenderDraft): Sender {
  return Sender.parse(inputOf(draft))
}

/** The fields of the form whose problems have another name in the model. */
const fieldNames: Readonly<Record<string, keyof SenderDraft>> = {
  windowMs: 'window',
  signature: 'signatureHeader',
  timestamp: 'timestampHeader',
  id: 'idHeader',
  eventName: 'names',
  jwt: 'jwtHeader',
  body: 'format',
}

/** Returns the problems of a draft by field. A signed text that an earlier version has saved may stay. */
export function senderProblems(draft: SenderDraft, saved: Sender): Record<string, string> {
  const parsed = Sender.safeParse(inputOf(draft))
  const problems: Record<string, string> = {}
  const isNew = saved.scheme !== 'template' || saved.signed !== draft.signed
  const movable = parsed.data === undefined || !isNew ? null : movableProblem(parsed.data)
  if (movable !== null) problems.signed = movable
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = fieldNames[String(path[0])] ?? String(path[0])
    problems[field] ??=
      field === 'window'
        ? 'The window is 1 second to 60 minutes.'
        : field === 'names' && draft.names.some(({ text }) => text.trim() === '')
          ? 'Say where the name of the event is.'
          : message
  }
  if (isOpen(draft.verify) && !draft.accepts) problems.accepts = 'Say that this connection may accept them.'
  if (draft.secret === '') return problems
  const secret = givenSecret(draft)
  const problem =
    SenderSecret.safeParse(secret).error?.issues[0]?.message ??
    (parsed.data === undefined ? null : secretProblem(secret, parsed.data))
  return problem === null ? problems : { ...problems, secret: problem }
}

/** Returns the new secret as it is kept. */
export function givenSecret({ verify, user, secret }: SenderDraft): string {
  return verify === 'basic' ? `${user}:${secret}` : secret
}

/** Returns the fields with a change that makes a request verify. A preset becomes the same as a description. */
export function changedFields(draft: SenderDraft, change: TemplateChange): Partial<SenderDraft> {
  const signed = change.signed ?? draft.signed
  return {
    ...change,
    scheme: 'template',
    // A timestamp or an id that is not signed cannot be checked.
    ...(!signed.includes('{{timestamp}}') && { timestampHeader: '', timestampPrefix: '' }),
    ...(!signed.includes('{{id}}') && { idHeader: '' }),
  }
}
