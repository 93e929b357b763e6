import type { SchemeKind } from './scheme-kind.ts'

/** https://docs.stripe.com/webhooks/signature */
export const stripe = {
  title: 'Stripe',
  about: 'stripe-signature',
  secret: 'The signing secret of the endpoint at Stripe. The whole string, with whsec_, is the key.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'stripe-signature',
      prefix: 'v1=',
      separator: ',',
      encoding: 'hex',
      algorithm: 'sha256',
      key: 'text',
      signed: '{{timestamp}}.{{body}}',
      timestampHeader: 'stripe-signature',
      timestampPrefix: 't=',
      timestampUnit: 's',
      windowMs: 300_000,
      eventName: { path: 'type' },
      data: 'body',
    },
  ],
} satisfies SchemeKind
