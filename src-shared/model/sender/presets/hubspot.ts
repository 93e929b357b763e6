import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests */
export const hubspot = {
  title: 'HubSpot',
  about: 'x-hubspot-signature-v3',
  secret: 'The client secret of the app, under Auth in its settings at HubSpot.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'x-hubspot-signature-v3',
      encoding: 'base64',
      signed: '{{method}}{{url}}{{body}}{{timestamp}}',
      timestampHeader: 'x-hubspot-request-timestamp',
      timestampUnit: 'ms',
      eventName: { path: 'subscriptionType' },
      data: { items: 'body' },
    },
  ],
} satisfies SchemeKind
