import type { SchemeKind } from '../scheme-kind.ts'

/** https://linear.app/developers/webhooks */
export const linear = {
  title: 'Linear',
  about: 'linear-signature',
  secret: 'The signing secret of the webhook, in its details at Linear.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'linear-signature',
      encoding: 'hex',
      signed: '{{body}}',
      timestamp: { path: 'webhookTimestamp' },
      timestampUnit: 'ms',
      eventName: { path: 'type' },
    },
  ],
} satisfies SchemeKind
