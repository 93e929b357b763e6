import type { Challenge } from '#shared/model/sender/challenge.ts'
import {
  type NamePlace,
  namePlacesOf,
  type Place,
  type SenderTemplate,
} from '#shared/model/sender/sender-template.ts'
import { schemeNames, schemes } from '#shared/model/sender/templates.ts'

/** Returns the table of the schemes, as docs/senders.md has it. */
export function schemeTable(): string {
  return [
    '| `scheme` | proof | event name | data | question | what the proof does not cover |',
    '|---|---|---|---|---|---|',
    ...schemeNames.map(name => {
      if (name === 'template')
        return '| `template` | what you describe | what you describe | what you describe | | |'
      const { templates, checks, challenges = [], uncovered = '' } = schemes[name]
      const [first] = templates
      const { eventName } = first
      const isDefault = name === 'custom-connection'
      const proof = [
        ...new Set([...templates, ...checks.map(({ template }) => template)].map(proofText)),
      ].join(', or ')
      const cells = [
        `\`${name}\`${isDefault ? ' (default)' : ''}`,
        ...[proof, namePlacesOf(eventName).map(nameText).join(', else '), dataText(first)],
        ...[[...new Set(challenges.map(questionText))].join('; '), uncovered],
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

function placeText(place: Place): string {
  if ('header' in place) return `\`${place.header.toLowerCase()}\``
  return 'path' in place ? `\`${place.path}\` of the body` : `\`?${place.query}\``
}

function proofText({ verify, signature, signed, jwt, algorithm }: SenderTemplate): string {
  const where = signature === null ? '' : placeText(signature)
  if (verify === 'none') return 'nothing'
  if (verify === 'basic') return 'a user and a password'
  if (verify === 'jwt') return `a JWT in \`${jwt?.header}\``
  if (verify === 'token') return `a fixed token in ${where}`
  const kind = verify === 'hmac' ? `HMAC-${algorithm.toUpperCase()}` : verify === 'rsa' ? 'RSA' : verify
  // The fields of Adyen and of SNS are many.
  const text = signed.length > 60 ? 'some fields of the body' : `\`${signed.replaceAll('|', '\\|')}\``
  return `${kind} in ${where} of ${text}`
}

function nameText(place: NamePlace): string {
  if ('constant' in place) return `always \`${place.constant}\``
  return 'present' in place ? `the field that is there, such as \`${place.present[0]}\`` : placeText(place)
}

function dataText({ data, decodesData: decodes }: SenderTemplate): string {
  if (data === 'body') return 'the body'
  if ('path' in data) return `\`${data.path}\`${decodes ? ', decoded' : ''}`
  return data.items === 'body' ? 'each item of the body' : `each item of \`${data.items}\``
}

function questionText({ method = 'POST', token, keeps, confirm, isSigned }: Challenge): string {
  const what = isSigned ? `a signed ${method}` : `a ${method}`
  if (token !== undefined) return `${what} with the verify token`
  if (keeps !== undefined) return `${what} that brings the secret`
  return confirm?.by === 'service' ? `${what} with an address to confirm` : what
}
