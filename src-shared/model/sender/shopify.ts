import type { SchemeKind } from './scheme-kind.ts'

/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
export const shopify = {
  title: 'Shopify',
  about: 'x-shopify-hmac-sha256',
  secret: 'The client secret of the app, or the secret that Shopify shows below its webhooks.',
  hasOwnSecret: true,
  deliveryHeader: 'x-shopify-webhook-id',
  templates: [
    {
      signatureHeader: 'x-shopify-hmac-sha256',
      prefix: '',
      encoding: 'base64',
      algorithm: 'sha256',
      key: 'text',
      signed: '{{body}}',
      timestampUnit: 's',
      windowMs: 300_000,
      eventName: { header: 'x-shopify-topic' },
      data: 'body',
    },
  ],
} satisfies SchemeKind
