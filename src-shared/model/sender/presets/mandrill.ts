import type { SchemeKind } from '../scheme-kind.ts'

/** https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/ */
export const mandrill = {
  title: 'Mandrill (Mailchimp Transactional)',
  about: 'x-mandrill-signature',
  secret:
    'The key of the webhook, under Settings › Webhooks at Mandrill. The URL there must be the inbound URL exactly.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  readsForms: true,
  urlPlace: 'Settings › Webhooks › Add a webhook',
  challenges: [{ method: 'HEAD', has: [], isSigned: false, answer: { empty: 200 } }],
  templates: [
    {
      signatureHeader: 'x-mandrill-signature',
      encoding: 'base64',
      algorithm: 'sha1',
      signed: '{{url}}{{sortedForm}}',
      body: 'form',
      eventName: { path: 'event' },
      data: { items: 'mandrill_events' },
      empty: 'accept',
    },
  ],
} satisfies SchemeKind
