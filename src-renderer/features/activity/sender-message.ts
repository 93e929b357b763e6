import type { Fix } from '../snippets/fixes.ts'
import type { RejectionStory } from './rejection-story.ts'

/**
 * What the author of a sender needs to mend it, as plain text to forward. It holds no secret, no address,
 * no signature and nothing of the request's body.
 *
 * @param rejection.at when it arrived, ISO 8601.
 * @param fix in the language named.
 */
export function senderMessage(
  rejection: { readonly at: string; readonly status: number; readonly code: string },
  story: Pick<RejectionStory, 'title' | 'explanation'>,
  rule: { readonly was: string | null; readonly must: string | null } | null,
  fix: { readonly language: string; readonly lines: Fix } | null,
): string {
  const { at, status, code } = rejection
  const parts = [
    `A request of ${at} to our webhook was answered ${status} ${code}.`,
    `${story.title}.\n${story.explanation}`,
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
