import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.paddle.com/webhooks/signature-verification */
export const paddle = {
  title: 'Paddle',
  about: 'paddle-signature',
  secret: 'The secret key of the notification destination, under Developer tools › Notifications at Paddle.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'paddle-signature',
      prefix: 'h1=',
      separator: ';',
      encoding: 'hex',
      signed: '{{timestamp}}:{{body}}',
      timestampHeader: 'paddle-signature',
      timestampPrefix: 'ts=',
      eventName: { path: 'event_type' },
      data: { path: 'data' },
    },
  ],
} satisfies SchemeKind
