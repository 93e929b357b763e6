import type { HeaderFields } from '#main/signing/header-fields.ts'
import { proofs } from '#main/signing/proofs/proofs.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import type { InboundConnection, InboundSender } from './directory.ts'

/** Stands for a secret in the headers that are kept. No request has it: its character is not one of a byte. */
const hidden = '••••••••'

/**
 * Returns the headers of a refused request to be kept and shown: the right token or password of its sender, and a secret
 * that a handshake brings, are hidden. A wrong token stays, because it may explain the refusal.
 *
 * @param rawHeaders alternating names and values, as in node:http.
 */
export function hideSecrets(
  rawHeaders: readonly string[],
  connection: InboundConnection | null,
): readonly string[] {
  const sender = connection?.sender ?? null
  if (sender === null || !mayHaveSecret(sender)) return rawHeaders
  return rawHeaders.map((text, index) =>
    index % 2 === 0 ? text : hideIn(sender, (rawHeaders[index - 1] ?? '').toLowerCase(), text),
  )
}

const handshakesOf = ({ scheme }: Pick<Sender, 'scheme'>) =>
  (schemes[scheme].challenges ?? []).flatMap(({ keeps }) => (keeps === undefined ? [] : [keeps.place]))

const mayHaveSecret = (sender: InboundSender) =>
  handshakesOf(sender).length > 0 ||
  sender.prepared.some(({ template: { verify } }) => proofs[verify].secretText !== undefined)

function hideIn(sender: InboundSender, name: string, value: string): string {
  if (handshakesOf(sender).some(place => 'header' in place && place.header.toLowerCase() === name))
    return hidden
  for (const { template, signatureHeader, keys } of sender.prepared) {
    const found =
      signatureHeader === name ? proofs[template.verify].secretText?.read(value, template.prefix) : null
    if (found != null && keys.some(({ key, expiresAt }) => expiresAt !== 0 && key.isMadeOf(found.bytes)))
      return found.before + hidden
  }
  return value
}

/** Returns headers that were kept with the secret of their sender again: the inverse of the above, for a trial. */
export function revealSecrets(headers: HeaderFields, sender: Sender, secret: string): HeaderFields {
  const write = templatesOf(sender)
    .map(({ verify }) => proofs[verify].secretText?.write)
    .find(one => one !== undefined)
  if (write === undefined || secret === '') return headers
  return headers.map(([name, value]) => [
    name,
    value.endsWith(hidden) ? value.slice(0, -hidden.length) + write(secret) : value,
  ])
}
