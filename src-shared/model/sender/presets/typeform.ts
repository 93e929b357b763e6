import type { SchemeKind } from '../scheme-kind.ts'

/** https://www.typeform.com/developers/webhooks/secure-your-webhooks/ */
export const typeform = {
  title: 'Typeform',
  about: 'typeform-signature',
  secret: 'The secret that you enter for the webhook at Typeform.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'typeform-signature',
      prefix: 'sha256=',
      encoding: 'base64',
      signed: '{{body}}',
      eventName: { path: 'event_type' },
    },
  ],
} satisfies SchemeKind
