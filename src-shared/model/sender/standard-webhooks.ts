import type { SchemeKind } from './scheme-kind.ts'
import type { WrittenTemplate } from './sender-template.ts'

const withHeaders = (prefix: string): WrittenTemplate => ({
  signatureHeader: `${prefix}-signature`,
  prefix: 'v1,',
  separator: ' ',
  encoding: 'base64',
  algorithm: 'sha256',
  key: 'base64',
  signed: '{{id}}.{{timestamp}}.{{body}}',
  timestampHeader: `${prefix}-timestamp`,
  timestampUnit: 's',
  windowMs: 300_000,
  idHeader: `${prefix}-id`,
  eventName: { path: 'type' },
  data: { path: 'data' },
})

/** https://www.standardwebhooks.com, also with the headers of Svix. */
export const standardWebhooks: SchemeKind = {
  title: 'Standard Webhooks',
  about: 'webhook-signature',
  secret: 'The secret that the sender shows, which begins with whsec_. The key is the base64 after it.',
  hasOwnSecret: true,
  templates: [withHeaders('webhook'), withHeaders('svix')],
}
