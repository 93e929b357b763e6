import { minuteMs } from '#shared/durations.ts'
import type { GraceHours } from '#shared/model/connection.ts'
import type { TemplateChange } from '#shared/model/diagnosis.ts'
import { movableProblem, Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { SenderSecret, secretProblem } from '#shared/model/sender/sender-secret.ts'
import { namePlacesOf, type SenderTemplate } from '#shared/model/sender/sender-template.ts'
import { TriedSender } from '#shared/model/sender/sender-trial.ts'
import { type Scheme, schemes } from '#shared/model/sender/templates.ts'
import type { Fields } from '../../../ui/draft/draft.ts'

/** The values of the form; a text of a field that is left empty is not set. */
export type SenderDraft = {
  readonly scheme: Scheme
  readonly signatureHeader: string
  readonly prefix: string
  readonly encoding: SenderTemplate['encoding']
  readonly algorithm: SenderTemplate['algorithm']
  readonly key: SenderTemplate['key']
  readonly signed: string
  readonly separator: '' | ' ' | ',' | ';'
  readonly timestampHeader: string
  readonly timestampPrefix: string
  readonly timestampUnit: SenderTemplate['timestampUnit']
  /** Minutes; a number that was cleared is an empty text. */
  readonly window: string | number
  readonly idHeader: string
  readonly nameIn: 'header' | 'path'
  readonly eventName: string
  /** Empty for the whole body. */
  readonly data: string
  /** Whether a request without an event is accepted, and starts nothing. */
  readonly acceptsEmpty: boolean
  /** A new secret; empty to keep the one that is set. */
  readonly secret: string
  readonly graceHours: GraceHours
}

const hidden = '••••••••'

/** The fields in the order of the form. How long a replaced secret stays valid is saved with the secret. */
export const senderFields: Fields<SenderDraft> = {
  scheme: { label: 'scheme', show: scheme => schemes[scheme].title },
  signatureHeader: 'signature header',
  prefix: 'prefix',
  encoding: 'encoding',
  algorithm: 'hash function',
  signed: 'signed text',
  timestampHeader: 'timestamp header',
  timestampUnit: 'unit',
  window: { label: 'window', show: minutes => `${minutes} min` },
  eventName: 'event name',
  nameIn: 'event name',
  data: 'data',
  acceptsEmpty: {
    label: 'requests without an event',
    show: isAccepted => (isAccepted ? 'accepted' : 'refused'),
  },
  secret: { label: 'signing secret', show: secret => (secret === '' ? 'unchanged' : hidden) },
  key: 'key',
  separator: 'separator',
  timestampPrefix: 'timestamp prefix',
  idHeader: 'id header',
}

/** Returns the fields of a template. */
export function fieldsOf(template: SenderTemplate): Omit<SenderDraft, 'scheme' | 'secret' | 'graceHours'> {
  const { data } = template
  const [place] = namePlacesOf(template.eventName)
  return {
    signatureHeader: template.signatureHeader,
    prefix: template.prefix,
    encoding: template.encoding,
    algorithm: template.algorithm,
    key: template.key,
    signed: template.signed,
    separator: template.separator ?? '',
    timestampHeader: template.timestampHeader ?? '',
    timestampPrefix: template.timestampPrefix ?? '',
    timestampUnit: template.timestampUnit,
    window: template.windowMs / minuteMs,
    idHeader: template.idHeader ?? '',
    nameIn: place !== undefined && 'header' in place ? 'header' : 'path',
    eventName:
      place === undefined ? '' : 'header' in place ? place.header : 'path' in place ? place.path : '',
    data: data === 'body' ? '' : 'path' in data ? data.path : data.items,
    acceptsEmpty: template.empty === 'accept',
  }
}

export function senderDraftOf({ sender }: { readonly sender: Sender }): SenderDraft {
  return { scheme: sender.scheme, ...fieldsOf(templatesOf(sender)[0]), secret: '', graceHours: 24 }
}

/** Returns what a draft says in the terms of the model, unchecked. */
function inputOf(draft: SenderDraft): object {
  const { scheme, nameIn, eventName, data, acceptsEmpty, window, ...others } = draft
  const { secret: _, graceHours: _hours, ...template } = others
  if (scheme === 'custom-connection') return { scheme }
  const body = {
    eventName: nameIn === 'header' ? { header: eventName.trim() } : { path: eventName.trim() },
    data: data.trim() === '' ? 'body' : { path: data.trim() },
    ...(acceptsEmpty && { empty: 'accept' }),
  }
  if (scheme !== 'template') return { scheme, ...body }
  const texts = Object.entries(template).filter(([field, value]) => value !== '' || field === 'signed')
  return {
    ...{ scheme, ...Object.fromEntries(texts), ...body },
    windowMs: Math.round(Number.parseFloat(String(window)) * minuteMs),
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

/** Returns the problems of a draft by field. A signed text that an earlier version has saved may stay. */
export function senderProblems(draft: SenderDraft, saved: Sender): Record<string, string> {
  const parsed = Sender.safeParse(inputOf(draft))
  const problems: Record<string, string> = {}
  const isNew = saved.scheme !== 'template' || saved.signed !== draft.signed
  const movable = parsed.data === undefined || !isNew ? null : movableProblem(parsed.data)
  if (movable !== null) problems.signed = movable
  for (const { path, message } of parsed.error?.issues ?? []) {
    const [field] = path
    problems[field === 'windowMs' ? 'window' : String(field)] ??=
      field === 'windowMs'
        ? 'The window is 1 second to 60 minutes.'
        : path.length > 1 && draft.eventName.trim() === ''
          ? 'Say where the name of the event is.'
          : message
  }
  if (draft.secret === '') return problems
  const problem =
    SenderSecret.safeParse(draft.secret).error?.issues[0]?.message ??
    (parsed.data === undefined ? null : secretProblem(draft.secret, parsed.data))
  return problem === null ? problems : { ...problems, secret: problem }
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
