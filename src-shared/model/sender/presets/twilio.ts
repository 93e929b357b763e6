import type { SchemeKind } from '../scheme-kind.ts'
import type { WrittenTemplate } from '../sender-template.ts'

type Conditions = NonNullable<WrittenTemplate['when']>

const common = { signatureHeader: 'x-twilio-signature', encoding: 'base64' } as const
const isJson: Conditions[number] = { place: { query: 'bodySHA256' } }

/** Bodies in JSON are signed by their digest in the URL. */
const ofJson = (algorithm: 'sha1' | 'sha256', conditions: Conditions): WrittenTemplate => ({
  ...{ when: [isJson, ...conditions], ...common, algorithm, signed: '{{url}}' },
  ...{ bodyDigest: { query: 'bodySHA256' }, eventName: { constant: 'request' } },
})

const ofForms = (algorithm: 'sha1' | 'sha256', conditions?: Conditions): WrittenTemplate => ({
  ...(conditions !== undefined && { when: conditions }),
  ...{ ...common, algorithm, signed: '{{url}}{{sortedForm}}', body: 'form' },
  eventName: { constant: 'request' },
})

/** https://www.twilio.com/docs/usage/webhooks/webhook-shared-keys */
const bySharedKey: Conditions = [
  { place: { header: 'x-twilio-webhooks-signature-settings' }, includes: 'algorithm=HMAC_SHA256' },
]

/** https://www.twilio.com/docs/usage/webhooks/webhooks-security */
export const twilio = {
  title: 'Twilio',
  about: 'x-twilio-signature',
  secret:
    'The auth token of the account, in the Twilio console, or the secret of its SharedKey. The URL at Twilio must be the inbound URL exactly.',
  hasOwnSecret: true,
  readsForms: true,
  answer: 'twiml',
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    ofJson('sha1', []),
    ofForms('sha1'),
    ofJson('sha256', bySharedKey),
    ofForms('sha256', bySharedKey),
  ],
} satisfies SchemeKind
