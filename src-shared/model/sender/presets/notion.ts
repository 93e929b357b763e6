import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.notion.com/reference/webhooks */
export const notion = {
  title: 'Notion',
  about: 'x-notion-signature',
  secret:
    'Nothing to enter: Notion posts a verification token, which is kept. Enter it at Notion to verify the subscription.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'The integration › Webhooks › Create a subscription',
  challenges: [
    {
      has: [{ place: { path: 'verification_token' } }],
      isSigned: false,
      keeps: { place: { path: 'verification_token' }, as: 'shown' },
      answer: { empty: 200 },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-notion-signature',
      prefix: 'sha256=',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { path: 'type' },
    },
  ],
} satisfies SchemeKind
