import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.squareup.com/docs/webhooks/step3validate */
export const square = {
  title: 'Square',
  about: 'x-square-hmacsha256-signature',
  secret:
    'The signature key of the webhook subscription at Square. The URL there must be the inbound URL exactly.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-square-hmacsha256-signature',
      encoding: 'base64',
      signed: '{{url}}{{body}}',
      eventName: { path: 'type' },
      data: { path: 'data' },
    },
  ],
} satisfies SchemeKind
