import type { HeaderFields } from '#main/signing/header-fields.ts'
import { proofs } from '#main/signing/proofs/proofs.ts'
import { type Sender, templatesOf } from '#shared/model/sender/sender.ts'
import { namePlacesOf } from '#shared/model/sender/sender-template.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import type { InboundConnection, InboundSender } from './directory.ts'

/** Stands for a secret in the headers that are kept. No request has it: its character is not one of a byte. */
const hidden = '••••••••'

/**
 * Returns the headers of a request to be kept and shown: the right token or password of its sender, and a secret
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

/**
 * Returns headers that were kept with the secret again, for a trial: only where the tried sender has its proof, and only
 * if nothing else of what the trial shows comes from there.
 */
export function revealSecrets(headers: HeaderFields, tried: Sender, secret: string): HeaderFields {
  if (secret === '') return headers
  const writes = new Map<string, (secret: string) => string>()
  for (const { verify, signatureHeader, eventName } of templatesOf(tried)) {
    const name = verify === 'basic' ? 'authorization' : signatureHeader.toLowerCase()
    const write = proofs[verify].secretText?.write
    const isShown = namePlacesOf(eventName).some(one => 'header' in one && one.header.toLowerCase() === name)
    if (write !== undefined && !isShown) writes.set(name, write)
  }
  return headers.map(([name, value]) => {
    const write = value.endsWith(hidden) ? writes.get(name.toLowerCase()) : undefined
    return [name, write === undefined ? value : value.slice(0, -hidden.length) + write(secret)]
  })
}
