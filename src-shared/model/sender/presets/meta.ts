import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
export const meta = {
  title: 'Meta (WhatsApp, Facebook, Instagram)',
  about: 'x-hub-signature-256',
  secret:
    'The app secret, under App settings › Basic at Meta. Enter the verify token beside the callback URL there.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'The app’s page › WhatsApp › Configuration › Webhook › Edit',
  subscription: {
    to: 'messages',
    where:
      'On the same page, under Webhook fields, for messages of WhatsApp. Without a subscribed field, Meta sends nothing.',
  },
  challenges: [
    {
      method: 'GET',
      has: [{ place: { query: 'hub.mode' }, equals: 'subscribe' }, { place: { query: 'hub.challenge' } }],
      isSigned: false,
      token: { query: 'hub.verify_token' },
      answer: { text: { query: 'hub.challenge' } },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-hub-signature-256',
      prefix: 'sha256=',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: [{ path: 'changes.0.field' }, { path: 'object' }],
      data: { items: 'entry' },
    },
  ],
} satisfies SchemeKind
