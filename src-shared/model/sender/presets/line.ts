import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/ */
export const line = {
  title: 'LINE',
  about: 'x-line-signature',
  secret: 'The channel secret, under Basic settings of the channel in the LINE Developers Console.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-line-signature',
      encoding: 'base64',
      signed: '{{body}}',
      eventName: { path: 'type' },
      data: { items: 'events' },
      empty: 'accept',
    },
  ],
} satisfies SchemeKind
