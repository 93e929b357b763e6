import type { Diagnosis, TemplateChange } from '#shared/model/diagnosis.ts'
import { type EventNameSource, namePlacesOf } from '#shared/model/sender/sender-template.ts'
import type { VerificationStep } from '#shared/model/sender/verification.ts'
import { explanations } from '../../../entities/snippet/explanations.ts'
import { formatBytes, formatCount, formatDuration, formatTime } from '../../../ui/format.ts'

type Step = VerificationStep['step']

export const stepNames: Readonly<Record<Step, string>> = {
  header: 'Header',
  prefix: 'Prefix',
  encoding: 'Encoding',
  time: 'Time',
  signed_text: 'Signed text',
  signature: 'Signature',
  event_name: 'Event name',
  data: 'Data',
}

/** A state in a few words, of the step that fails: “Signature differs”. */
export const failures: Readonly<Record<Step, string>> = {
  header: 'No signature',
  prefix: 'Prefix differs',
  encoding: 'Encoding differs',
  time: 'Time is wrong',
  signed_text: 'Signed text is incomplete',
  signature: 'Signature differs',
  event_name: 'No event name',
  data: 'No data',
}

/** Returns what a check has found; the text between backticks is code. */
export function foundIn(step: VerificationStep): string {
  if (step.state === 'not_reached') return 'not reached'
  if (step.state === 'failed')
    return step.step === 'signature' ? 'differs from the one sent' : (step.message ?? '')
  switch (step.step) {
    case 'header':
      return `\`${step.header}\` is there`
    case 'prefix':
      return step.state === 'not_used' ? 'none' : `\`${step.prefix}\` removed`
    case 'encoding':
      return `${step.encoding}, ${step.bytes} bytes`
    case 'time':
      return timeLabel(step)
    case 'signed_text':
      return `\`${excerpt(step.text)}\` ${formatBytes(step.bytes)}`
    case 'signature':
      return step.secret === 'previous' ? 'equal, with the secret before' : 'equal, compared in constant time'
    case 'event_name':
      return step.state === 'not_used'
        ? 'no event, so it starts nothing'
        : `${sourceLabel(step.source)} is \`"${step.value}"\``
    case 'data':
      return step.state === 'not_used'
        ? 'none'
        : `${step.source === 'body' ? 'the whole body' : `\`${'path' in step.source ? step.source.path : step.source.items}\``}, ${formatCount(step.fields.length, 'field')}`
  }
}

function timeLabel(step: Extract<VerificationStep, { step: 'time' }>): string {
  if (step.state === 'not_used') return 'not sent; repeats are found for 24 hours'
  if (step.at === null || step.ageMs === null) return `\`${step.text}\``
  const age = formatDuration(Math.abs(step.ageMs))
  return `\`${step.text}\` is ${formatTime(step.at)}, ${age} ${step.ageMs < 0 ? 'ahead' : 'old'}`
}

function sourceLabel(source: EventNameSource): string {
  const labels = namePlacesOf(source).map(place => {
    if ('present' in place) return place.present.map(path => `\`${path}\``).join(' or ')
    const [text = ''] = Object.values(place)
    return `\`${text}\``
  })
  return labels.join(', then ')
}

/** Characters of a signed text that are shown. */
const longestExcerpt = 28

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > longestExcerpt ? `${line.slice(0, longestExcerpt)}…` : line
}

/** The remedy that a diagnosis offers. */
export type WayOut = { readonly title: string; readonly button: string | null }

const changeLabels: Readonly<Record<keyof TemplateChange, string>> = {
  signed: 'Use that text',
  prefix: 'Use that prefix',
  encoding: 'Use that encoding',
  algorithm: 'Use that hash function',
  key: 'Use that key',
  timestampUnit: 'Use that unit',
  timestampHeader: 'Use that header',
  signatureHeader: 'Use that header',
  idHeader: 'Use that header',
}

/** Returns the heading of a diagnosis and the button that follows it. @param signed the text that the scheme signs. */
export function wayOutOf({ code, change }: Diagnosis, signed: string): WayOut {
  const addsTime = change?.signed?.includes('{{timestamp}}') === true && !signed.includes('{{timestamp}}')
  const title = addsTime ? 'The sender signs the time too' : explanations[code].title
  if (change === undefined) return { title, button: null }
  const fields = Object.keys(change)
  // The text that is signed names the header of its timestamp, too.
  const [first] = fields.includes('signed') ? ['signed'] : fields
  const isOne = fields.length === 1 || first === 'signed'
  const named = Object.entries(changeLabels).find(([field]) => field === first)
  return { title, button: (isOne ? named?.[1] : undefined) ?? 'Use these settings' }
}
