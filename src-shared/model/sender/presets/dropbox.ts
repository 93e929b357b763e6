import type { SchemeKind } from '../scheme-kind.ts'

/** https://www.dropbox.com/developers/reference/webhooks */
export const dropbox = {
  title: 'Dropbox',
  about: 'x-dropbox-signature',
  secret: 'The app secret, under Settings of the app at Dropbox.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'App Console › the app › Settings › Webhooks',
  challenges: [
    {
      method: 'GET',
      has: [{ place: { query: 'challenge' } }],
      isSigned: false,
      answer: { text: { query: 'challenge' } },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-dropbox-signature',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { constant: 'change' },
    },
  ],
} satisfies SchemeKind
