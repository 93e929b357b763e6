import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.zendesk.com/documentation/webhooks/verifying/ */
export const zendesk = {
  title: 'Zendesk',
  about: 'x-zendesk-webhook-signature',
  secret: 'The signing secret of the webhook: Reveal secret in its details at Zendesk.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'x-zendesk-webhook-signature',
      encoding: 'base64',
      signed: '{{timestamp}}{{body}}',
      timestampHeader: 'x-zendesk-webhook-signature-timestamp',
      timestampUnit: 'iso',
      eventName: [{ path: 'type' }, { constant: 'notification' }],
    },
  ],
} satisfies SchemeKind
