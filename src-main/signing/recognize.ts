import type { Diagnosis } from '#shared/model/diagnosis.ts'
import {
  maxHeaderName,
  namePlacesOf,
  type Place,
  type SenderTemplate,
} from '#shared/model/sender/sender-template.ts'
import { namedSchemes, type Scheme, schemes } from '#shared/model/sender/templates.ts'
import { parsePath } from '#shared/model/variable-path.ts'
import { type HeaderFields, headerIn } from './header-fields.ts'
import { placeText } from './places.ts'
import { fieldText, type ProofBody, proofBodyOf } from './proof-body.ts'

/** A header that looks like the signature of a sender. */
const signatureName = /(?:^|-)(?:signature|hmac|sign|sig)(?:$|-)/i

/** Returns whether a scheme can have this header. A longer one would only fill the diagnosis. */
export function canBeNamed(header: string): boolean {
  return header.length <= maxHeaderName
}

type Candidate = { readonly scheme: Scheme; readonly template: SenderTemplate; readonly place: Place }

/** The schemes with a proof that tells them apart. A token, or no proof at all, could be of any sender. */
const candidates: readonly Candidate[] = namedSchemes.flatMap(scheme =>
  schemes[scheme].templates.flatMap(template => {
    const { verify, signature: place } = template
    const isGuessed = verify === 'token' || verify === 'basic' || verify === 'none'
    return isGuessed || place === null ? [] : [{ scheme, template, place }]
  }),
)

const knownHeaders: ReadonlySet<string> = new Set(
  candidates.flatMap(({ place }) => ('header' in place ? [place.header.toLowerCase()] : [])),
)
/** The last steps of the places in bodies, in quotes. */
const knownFields: readonly string[] = [
  ...new Set(
    candidates.flatMap(({ place }) => ('path' in place ? [`"${parsePath(place.path)?.at(-1)}"`] : [])),
  ),
]

/** Returns whether a request may have a signature of any scheme. @param headerLines `Name: value` lines. */
export function mayBeSigned(headerLines: string, body: Buffer): boolean {
  const isKnown = (name: string) => signatureName.test(name) || knownHeaders.has(name.toLowerCase())
  return (
    headerLines.split('\n').some(line => {
      const colon = line.indexOf(': ')
      return colon + 2 < line.length && isKnown(line.slice(0, colon))
    }) || knownFields.some(field => body.includes(field))
  )
}

/**
 * Returns how a request is signed that lacks the signature of its connection: in another known scheme, or in a header that
 * looks like a signature. Null if it has none. Of several schemes with the same header, the one counts whose prefix and
 * whose event name it has, too.
 *
 * @param wanted the header that it lacks.
 */
export function recognizeScheme(
  headers: HeaderFields,
  scheme: Scheme,
  wanted: string,
  rawBody: Buffer,
): Diagnosis | null {
  const body = proofBodyOf(rawBody)
  const found = candidates
    .map(candidate => ({ candidate, score: scoreOf(candidate, headers, body) }))
    .filter(({ candidate, score }) => score > 0 && candidate.scheme !== scheme)
    .reduce<{ candidate: Candidate; score: number } | null>(
      (best, one) => (best === null || one.score > best.score ? one : best),
      null,
    )
  if (found !== null) {
    const { scheme: recognized, place } = found.candidate
    const { title } = schemes[recognized]
    const where = 'header' in place ? place.header : placeText(place)
    const message = `This sender signs as ${title}: the request has \`${where}\` and not \`${wanted}\`. Choose ${title} under “How this sender signs”.`
    return { code: 'other_scheme', message, recognized }
  }
  const other = headers.find(([name]) => canBeNamed(name) && signatureName.test(name))?.[0].toLowerCase()
  if (other === undefined) return null
  const message = `The request has no \`${wanted}\` header, but \`${other}\`; describe that signature under “How this sender signs”.`
  return { code: 'other_header', message, change: { signatureHeader: other } }
}

/** Returns how well a request fits a scheme; 0 if it lacks its signature. */
function scoreOf({ template, place }: Candidate, headers: HeaderFields, body: ProofBody): number {
  const valueAt = (at: Place) => {
    if ('header' in at) return headerIn(headers, at.header)
    return 'path' in at ? fieldText(body.root(), parsePath(at.path) ?? []) : undefined
  }
  const signature = valueAt(place)
  if (signature === undefined) return 0
  const { timestamp, id, prefix } = template
  // A field called “signature” alone says nothing.
  if ('path' in place && [timestamp, id].some(at => at !== null && valueAt(at) === undefined)) return 0
  const hasName = namePlacesOf(template.eventName).some(
    at => !('constant' in at || 'present' in at) && valueAt(at) !== undefined,
  )
  return 1 + (signature.includes(prefix) ? 2 : 0) + (hasName ? 1 : 0)
}
