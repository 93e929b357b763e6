import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.asana.com/docs/webhooks-guide */
export const asana = {
  title: 'Asana',
  about: 'x-hook-signature',
  secret: 'Nothing to enter: Asana brings it when the webhook is created, and it is kept then.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'POST /webhooks of its API, with the URL as `target`',
  challenges: [
    {
      has: [{ place: { header: 'x-hook-secret' } }],
      isSigned: false,
      keeps: { place: { header: 'x-hook-secret' }, as: 'secret' },
      answer: { header: 'x-hook-secret' },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-hook-signature',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { path: 'action' },
      data: { items: 'events' },
      empty: 'accept',
    },
  ],
} satisfies SchemeKind
