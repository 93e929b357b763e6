import type { SchemeKind } from '../scheme-kind.ts'
import type { WrittenTemplate } from '../sender-template.ts'

/** The fields of all types of messages, which are signed in alphabetical order. Each type has some of them. */
const fields = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token']
const line = (field: string) => `{{line:${field}:${field}}}`

const withHash = (algorithm: 'sha1' | 'sha256', version?: string): WrittenTemplate => ({
  ...(version !== undefined && { when: [{ place: { path: 'SignatureVersion' }, equals: version }] }),
  verify: 'rsa',
  signature: { path: 'Signature' },
  encoding: 'base64',
  algorithm,
  // SNS signs for everybody with an account, so only the topic tells whose message it is.
  signed: `${fields.map(line).join('')}TopicArn\n{{setting:topic_arn}}\n${line('Type')}`,
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
    'Nothing to enter: SNS signs with a key whose certificate is fetched from amazonaws.com. Leave raw message delivery off.',
  hasOwnSecret: true,
  settings: { topic_arn: 'The ARN of the topic, in its details at Amazon SNS.' },
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
