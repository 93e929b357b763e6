import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { maxHeaderName } from '#shared/model/sender/sender-template.ts'
import { namedSchemes, type Scheme, schemes } from '#shared/model/sender/templates.ts'
import { type HeaderFields, headerIn } from './header-fields.ts'

/** A header that looks like the signature of a sender. */
const signatureName = /(?:^|-)(?:signature|hmac|sign|sig)(?:$|-)/i

/** Returns whether a scheme can have this header. A longer one would only fill the diagnosis. */
export function canBeNamed(header: string): boolean {
  return header.length <= maxHeaderName
}

/** Returns whether a request may have a signature of any scheme. @param headerLines `Name: value` lines. */
export function mayBeSigned(headerLines: string): boolean {
  return headerLines.split('\n').some(line => {
    const colon = line.indexOf(': ')
    return signatureName.test(line.slice(0, colon)) && colon + 2 < line.length
  })
}

/**
 * Returns how a request is signed that lacks the signature header of its connection: in another known scheme, or in a
 * header that looks like a signature. Null if it has none.
 *
 * @param wanted the header that it lacks.
 */
export function recognizeScheme(headers: HeaderFields, scheme: Scheme, wanted: string): Diagnosis | null {
  for (const recognized of namedSchemes) {
    const { title, templates } = schemes[recognized]
    const header = templates.find(({ signatureHeader }) => headerIn(headers, signatureHeader) !== undefined)
    if (recognized === scheme || header === undefined) continue
    const message = `This sender signs as ${title}: the request has \`${header.signatureHeader}\` and not \`${wanted}\`. Choose ${title} under “How this sender signs”.`
    return { code: 'other_scheme', message, recognized }
  }
  const other = headers.find(([name]) => canBeNamed(name) && signatureName.test(name))?.[0].toLowerCase()
  if (other === undefined) return null
  const message = `The request has no \`${wanted}\` header, but \`${other}\`; describe that signature under “How this sender signs”.`
  return { code: 'other_header', message, change: { signatureHeader: other } }
}
