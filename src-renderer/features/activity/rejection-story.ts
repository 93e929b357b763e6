import { inboundErrorOf } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { Scheme } from '#shared/model/sender/templates.ts'
import { headerOf } from '../../entities/event/checks.ts'
import {
  type Explanation,
  explanations,
  fillExplanation,
  rejectionTitle,
} from '../../entities/snippet/explanations.ts'
import type { Fix } from '../../entities/snippet/fixes.ts'
import { escapeUnit } from '../../entities/snippet/quote.ts'

/** A refusal explained for the person who fixes the sender. */
export type RejectionStory = Omit<Explanation, 'short'> & {
  readonly explanation: string
  /** The explanation without what only the owner of the connection can do. */
  readonly forSender: string
}

/**
 * @param attempt the request, if it is still kept.
 * @param scheme of the connection: the remedies for a signature or a timestamp are for the default one.
 */
export function rejectionStory(
  code: string,
  message: string,
  diagnosis: Diagnosis | null,
  attempt: Attempt | undefined,
  scheme: Scheme = 'custom-connection',
): RejectionStory {
  const known: Explanation | null =
    diagnosis === null || diagnosis.code === 'unknown' ? null : explanations[diagnosis.code]
  const title = known?.title ?? rejectionTitle(code, null)
  const error = inboundErrorOf(code)
  const isOfScheme =
    scheme === 'custom-connection' || (error?.step !== 'timestamp' && error?.step !== 'signature')
  const { remedy, ownerRemedy } = isOfScheme ? (error ?? {}) : {}
  const sentences = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ')
  const explanation = diagnosis?.message ?? sentences(message, remedy, ownerRemedy)
  const forSender = diagnosis?.message ?? sentences(message, remedy)
  const request = attempt && {
    timestamp: headerOf(attempt.headers, 'x-service-timestamp') ?? '',
    body: attempt.bodyText,
  }
  const fill = (text: string | null | undefined) => text && request && fillExplanation(text, request)
  // What it was and must be is written for the scheme of Custom Connection.
  const rule = diagnosis?.scheme === undefined ? known : null
  return { title, explanation, forSender, was: fill(rule?.was) ?? null, must: fill(rule?.must) ?? null }
}

/**
 * Returns a text to forward to the author of a sender. It contains no secret, no address, no signature and nothing of
 * the request's body.
 *
 * @param rejection.at ISO 8601.
 */
export function senderMessage(
  rejection: { readonly at: string; readonly status: number; readonly code: string },
  story: Pick<RejectionStory, 'title' | 'forSender'>,
  rule: Pick<Explanation, 'was' | 'must'> | null,
  fix: { readonly language: string; readonly lines: Fix } | null,
): string {
  const { at, status, code } = rejection
  const parts = [
    `A request of ${at} to our webhook was answered ${status} ${code}.`,
    `${story.title}.\n${story.forSender}`,
  ]
  if (rule !== null && rule.must !== null)
    parts.push([...(rule.was === null ? [] : [`Was: ${rule.was}`]), `Must be: ${rule.must}`].join('\n'))
  if (fix !== null) {
    const { before, removed, added, after } = fix.lines
    const lines = [
      ...before.map(line => `  ${line}`),
      ...removed.map(line => `- ${line}`),
      ...added.map(line => `+ ${line}`),
      ...after.map(line => `  ${line}`),
    ]
    parts.push([`In ${fix.language}:`, ...lines].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}

const names: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Returns how many characters two texts have in common at their start. */
export function commonStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) at++
  return at
}

/** Returns a text with its line breaks and other control characters escaped. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
  return text.replace(/[\x00-\x1f\x7f\ufeff]/g, unit => names[unit] ?? escapeUnit(unit))
}
