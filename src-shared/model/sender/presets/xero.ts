import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/ */
export const xero = {
  title: 'Xero',
  about: 'x-xero-signature',
  secret: 'The webhooks key, under Webhooks of the app at Xero.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  // Xero wants 200 without a body.
  answer: { text: '' },
  templates: [
    {
      signatureHeader: 'x-xero-signature',
      encoding: 'base64',
      signed: '{{body}}',
      eventName: { path: 'eventType' },
      data: { items: 'events' },
      empty: 'accept',
    },
  ],
} satisfies SchemeKind
