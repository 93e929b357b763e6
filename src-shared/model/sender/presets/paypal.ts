import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.paypal.com/api/rest/webhooks/rest/ */
export const paypal = {
  title: 'PayPal',
  about: 'paypal-transmission-sig',
  secret: 'Nothing to enter: PayPal signs with a key whose certificate is fetched from api.paypal.com.',
  hasOwnSecret: true,
  settings: { webhook_id: 'The webhook ID, beside the webhook in the developer dashboard of PayPal.' },
  uncovered: 'It covers the body only by its CRC-32, which another body can be made to have.',
  templates: [
    {
      verify: 'rsa',
      signatureHeader: 'paypal-transmission-sig',
      encoding: 'base64',
      signed: '{{id}}|{{timestamp}}|{{setting:webhook_id}}|{{bodyCrc32}}',
      certificate: { header: 'paypal-cert-url' },
      certificateHosts: ['api.paypal.com', 'api.sandbox.paypal.com'],
      timestampHeader: 'paypal-transmission-time',
      timestampUnit: 'iso',
      idHeader: 'paypal-transmission-id',
      eventName: { path: 'event_type' },
    },
  ],
} satisfies SchemeKind
