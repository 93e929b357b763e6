import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.woocommerce.com/docs/webhooks/ */
export const woocommerce = {
  title: 'WooCommerce',
  about: 'x-wc-webhook-signature',
  secret: 'The secret of the webhook, under WooCommerce › Settings › Advanced › Webhooks.',
  hasOwnSecret: true,
  uncovered:
    'It covers neither a time nor the name of the event, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'WooCommerce › Settings › Advanced › Webhooks',
  challenges: [{ has: [{ place: { path: 'webhook_id' } }], isSigned: false, answer: { empty: 200 } }],
  templates: [
    {
      signatureHeader: 'x-wc-webhook-signature',
      encoding: 'base64',
      signed: '{{body}}',
      eventName: { header: 'x-wc-webhook-topic' },
    },
  ],
} satisfies SchemeKind
