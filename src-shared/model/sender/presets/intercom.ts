import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.intercom.com/docs/references/webhooks/webhook-models */
export const intercom = {
  title: 'Intercom',
  about: 'x-hub-signature',
  secret: 'The client secret of the app, under Basic information in the Developer Hub of Intercom.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'Developer Hub › the app › Webhooks',
  challenges: [{ method: 'HEAD', has: [], isSigned: false, answer: { empty: 200 } }],
  templates: [
    {
      signatureHeader: 'x-hub-signature',
      prefix: 'sha1=',
      encoding: 'hex',
      algorithm: 'sha1',
      signed: '{{body}}',
      eventName: { path: 'topic' },
      data: { path: 'data' },
    },
  ],
} satisfies SchemeKind
