import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures */
export const calendly = {
  title: 'Calendly',
  about: 'calendly-webhook-signature',
  secret: 'The signing key that you give when you create the webhook subscription at Calendly.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'calendly-webhook-signature',
      prefix: 'v1=',
      separator: ',',
      encoding: 'hex',
      signed: '{{timestamp}}.{{body}}',
      timestampHeader: 'calendly-webhook-signature',
      timestampPrefix: 't=',
      eventName: { path: 'event' },
      data: { path: 'payload' },
    },
  ],
} satisfies SchemeKind
