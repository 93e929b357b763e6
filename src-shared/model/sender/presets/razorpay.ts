import type { SchemeKind } from '../scheme-kind.ts'

/** https://razorpay.com/docs/webhooks/validate-test/ */
export const razorpay = {
  title: 'Razorpay',
  about: 'x-razorpay-signature',
  secret: 'The secret that you enter for the webhook at Razorpay.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-razorpay-signature',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { path: 'event' },
      data: { path: 'payload' },
    },
  ],
} satisfies SchemeKind
