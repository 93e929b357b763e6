import type { SchemeKind } from '../scheme-kind.ts'
import type { WrittenTemplate } from '../sender-template.ts'

/** The fields of all types of messages, which are signed in alphabetical order. Each type has some of them. */
const fields = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']

const withHash = (algorithm: 'sha1' | 'sha256', version?: string): WrittenTemplate => ({
  ...(version !== undefined && { when: [{ place: { path: 'SignatureVersion' }, equals: version }] }),
  verify: 'rsa',
  signature: { path: 'Signature' },
  encoding: 'base64',
  algorithm,
  signed: fields.map(field => `{{line:${field}:${field}}}`).join(''),
  certificate: { path: 'SigningCertURL' },
  certificateHosts: ['sns.*.amazonaws.com', 'sns.*.amazonaws.com.cn'],
  timestamp: { path: 'Timestamp' },
  timestampUnit: 'iso',
  // SNS repeats a message with the time of its first attempt.
  windowMs: 3_600_000,
  id: { path: 'MessageId' },
  eventName: [{ path: 'Subject' }, { constant: 'notification' }],
  data: { path: 'Message' },
  decodesData: true,
})

/** https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */
export const sns = {
  title: 'Amazon SNS',
  about: 'Signature of the body',
  secret:
    'None: SNS signs with a key whose certificate is fetched from amazonaws.com. Leave raw message delivery off.',
  hasOwnSecret: true,
  uncovered: 'It covers neither the attributes of a message nor its address to unsubscribe.',
  urlPlace: 'The topic › Create subscription › Protocol HTTPS',
  challenges: [
    {
      has: [{ place: { path: 'Type' }, equals: 'SubscriptionConfirmation' }],
      isSigned: true,
      confirm: { place: { path: 'SubscribeURL' }, hosts: ['sns.*.amazonaws.com'], by: 'service' },
      answer: { empty: 200 },
    },
  ],
  templates: [withHash('sha256', '2'), withHash('sha1')],
} satisfies SchemeKind
