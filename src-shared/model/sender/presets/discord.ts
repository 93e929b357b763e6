import type { SchemeKind } from '../scheme-kind.ts'

/** https://discord.com/developers/docs/interactions/overview */
export const discord = {
  title: 'Discord',
  about: 'x-signature-ed25519',
  secret: 'The public key is under General Information of the application at Discord.',
  hasOwnSecret: true,
  // A deferred answer: the workflow sends the message itself, with the token of the interaction.
  answer: { text: '{"type":5}' },
  urlPlace: 'Developer Portal › the application › General Information › Interactions Endpoint URL',
  challenges: [
    {
      has: [{ place: { path: 'type' }, equals: '1' }, { place: { path: 'token' } }],
      isSigned: true,
      answer: { constant: '{"type":1}', type: 'application/json' },
    },
    {
      has: [{ place: { path: 'type' }, equals: '0' }, { place: { path: 'application_id' } }],
      isSigned: true,
      answer: { empty: 204 },
    },
  ],
  templates: [
    {
      verify: 'ed25519',
      signatureHeader: 'x-signature-ed25519',
      encoding: 'hex',
      signed: '{{timestamp}}{{body}}',
      timestampHeader: 'x-signature-timestamp',
      eventName: [{ path: 'data.name' }, { path: 'data.custom_id' }, { path: 'event.type' }],
    },
  ],
} satisfies SchemeKind
