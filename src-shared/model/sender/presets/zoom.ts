import type { SchemeKind } from '../scheme-kind.ts'

/** https://developers.zoom.us/docs/api/webhooks/ */
export const zoom = {
  title: 'Zoom',
  about: 'x-zm-signature',
  secret: 'The secret token of the app, under Features › Access at Zoom.',
  hasOwnSecret: true,
  urlPlace: 'App Marketplace › the app › Features › Access › Event Subscription',
  challenges: [
    {
      has: [
        { place: { path: 'event' }, equals: 'endpoint.url_validation' },
        { place: { path: 'payload.plainToken' } },
      ],
      // Signed: the answer to any text would be the signature of any event.
      isSigned: true,
      answer: {
        json: {
          plainToken: { path: 'payload.plainToken' },
          encryptedToken: { hmac: { path: 'payload.plainToken' }, encoding: 'hex' },
        },
      },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-zm-signature',
      prefix: 'v0=',
      encoding: 'hex',
      signed: 'v0:{{timestamp}}:{{body}}',
      timestampHeader: 'x-zm-request-timestamp',
      eventName: { path: 'event' },
      data: { path: 'payload' },
    },
  ],
} satisfies SchemeKind
