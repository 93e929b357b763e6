import { valuesAt } from './places.ts'
import type { PreparedSender, PreparedTemplate } from './prepare-sender.ts'
import { isDigestOf } from './proofs/jwt.ts'
import { bytesKey } from './proofs/proof-kind.ts'
import { proofs } from './proofs/proofs.ts'
import { readNothing } from './read-signature.ts'
import { type HeadProblem, invalid, type Match, type SenderHead, type SenderRequest } from './sender-head.ts'

/** Reads what a request says about its proof. Never throws. @param nowMs milliseconds since 1970. */
export function readHead(sender: PreparedSender, request: SenderRequest, nowMs: number): SenderHead {
  if (request.body === undefined && sender.length > 1 && sender.some(isChosenByBody))
    return readNothing(sender[0], request)
  const prepared = templateFor(sender, request)
  return proofs[prepared.template.verify].read(prepared, request, nowMs)
}

/** Returns whether only the body says which template counts. */
const isChosenByBody = ({ signature, template: { when = [] } }: PreparedTemplate) =>
  [signature, ...when.map(({ place }) => place)].some(place => place != null && 'path' in place)

/** Returns the template whose `when` a request meets with the most values, or else the first whose signature it has. */
function templateFor(sender: PreparedSender, request: SenderRequest): PreparedTemplate {
  if (sender.length === 1) return sender[0]
  const others = sender.filter(({ template: { when } }) => when === undefined)
  const met = sender.filter(({ template: { when } }) => when?.every(one => isMet(one, request)))
  return (
    met.toSorted((one, other) => conditionsOf(other) - conditionsOf(one))[0] ??
    others.find(({ signature }) => signature !== null && (valuesAt(signature, request)?.length ?? 0) > 0) ??
    others[0] ??
    sender[0]
  )
}

const conditionsOf = ({ template: { when = [] } }: PreparedTemplate) => when.length

type Condition = NonNullable<PreparedTemplate['template']['when']>[number]

function isMet({ place, equals, includes }: Condition, request: SenderRequest) {
  const at = 'header' in place ? { header: place.header.toLowerCase() } : place
  const values = valuesAt(at, request) ?? []
  if (includes !== undefined) return values.some(value => value.includes(includes))
  return equals === undefined ? values.length > 0 : values.includes(equals)
}

/** Returns the first problem of a head, in the order of the checks; null for a head whose proof may be matched. */
export function headProblemOf({ header, prefix, encoding, time, signed }: SenderHead): HeadProblem | null {
  const problems = [header, time, prefix, encoding, signed].flatMap(check => check?.problem ?? [])
  return problems.find(({ isRepeated }) => isRepeated) ?? problems[0] ?? null
}

/** Returns whether the proof of a request is right. The head must have no problem. Never throws. */
export function matchHead(head: SenderHead, rawBody: Uint8Array, nowMs: number): Match {
  const { template } = head.prepared
  const match = proofs[template.verify].match(head, rawBody, nowMs)
  if (match.problem !== null || template.bodyDigest === undefined) return match
  const place = template.bodyDigest
  const at = 'header' in place ? { header: place.header.toLowerCase() } : place
  const [digest = ''] = valuesAt(at, head.request) ?? []
  return isDigestOf(digest, rawBody)
    ? match
    : { problem: invalid('The signature covers the SHA-256 of another body.') }
}

/** Returns whether a proof is another one if the body is another one. */
export function coversBody({ template, before, after, hasBody }: PreparedTemplate): boolean {
  return hasBody || proofs[template.verify].coversBody(template, [...before, ...after])
}

/**
 * Returns what identifies a request, in hexadecimal digits: what was signed, if that covers the body. Else the id that its
 * sender gives it, together with its body; empty without an id, because two bodies may have the same proof.
 */
export function identityOf({ prepared, request }: SenderHead, digest: string, rawBody: Uint8Array): string {
  if (coversBody(prepared)) return digest
  const [id = ''] = prepared.id === null ? [] : (valuesAt(prepared.id, request) ?? [])
  return id === '' ? '' : bytesKey.digest(`${id.length}:${id}`, rawBody)
}
