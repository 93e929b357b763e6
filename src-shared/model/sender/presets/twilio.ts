import type { SchemeKind } from '../scheme-kind.ts'

/** https://www.twilio.com/docs/usage/webhooks/webhooks-security */
export const twilio = {
  title: 'Twilio',
  about: 'x-twilio-signature',
  secret:
    'The auth token of the account, in the Twilio console. The URL at Twilio must be the inbound URL exactly.',
  hasOwnSecret: true,
  readsForms: true,
  answer: 'twiml',
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      when: { place: { query: 'bodySHA256' } },
      signatureHeader: 'x-twilio-signature',
      encoding: 'base64',
      algorithm: 'sha1',
      signed: '{{url}}',
      bodyDigest: { query: 'bodySHA256' },
      eventName: { constant: 'request' },
    },
    {
      signatureHeader: 'x-twilio-signature',
      encoding: 'base64',
      algorithm: 'sha1',
      signed: '{{url}}{{sortedForm}}',
      body: 'form',
      eventName: { constant: 'request' },
    },
  ],
} satisfies SchemeKind
