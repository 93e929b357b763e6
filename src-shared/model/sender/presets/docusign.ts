import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.docusign.com/platform/webhooks/connect/hmac/ */
export const docusign = {
  title: 'DocuSign',
  about: 'x-docusign-signature-1',
  secret: 'The HMAC key of Connect, under Connect › Connect keys at DocuSign.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-docusign-signature-1',
      encoding: 'base64',
      signed: '{{body}}',
      eventName: { path: 'event' },
      data: { path: 'data' },
    },
  ],
} satisfies SchemeKind
