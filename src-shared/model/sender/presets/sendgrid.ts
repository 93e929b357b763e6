import type { SchemeKind } from '../scheme-kind.ts'

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
export const sendgrid = {
  title: 'SendGrid',
  about: 'x-twilio-email-event-webhook-signature',
  secret: 'The verification key, a public key, is under Mail Settings › Event Webhooks at SendGrid.',
  hasOwnSecret: true,
  templates: [
    {
      verify: 'ecdsa',
      signatureHeader: 'x-twilio-email-event-webhook-signature',
      encoding: 'base64',
      signed: '{{timestamp}}{{body}}',
      timestampHeader: 'x-twilio-email-event-webhook-timestamp',
      eventName: { path: 'event' },
      data: { items: 'body' },
    },
  ],
} satisfies SchemeKind
