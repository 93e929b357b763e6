import type { SchemeKind } from './scheme-kind.ts'

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
export const github = {
  title: 'GitHub',
  about: 'x-hub-signature-256',
  secret: 'The secret that you enter for the webhook at GitHub. The whole string is the key.',
  hasOwnSecret: true,
  deliveryHeader: 'x-github-delivery',
  readsForms: true,
  templates: [
    {
      signatureHeader: 'x-hub-signature-256',
      prefix: 'sha256=',
      encoding: 'hex',
      algorithm: 'sha256',
      key: 'text',
      signed: '{{body}}',
      timestampUnit: 's',
      windowMs: 300_000,
      eventName: { header: 'x-github-event' },
      data: 'body',
    },
  ],
} satisfies SchemeKind
