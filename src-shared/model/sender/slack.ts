import type { SchemeKind } from './scheme-kind.ts'

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack = {
  title: 'Slack',
  about: 'x-slack-signature',
  secret: 'The signing secret of the app, under Basic Information at Slack. The whole string is the key.',
  hasOwnSecret: true,
  readsForms: true,
  urlPlace: 'The app › Event Subscriptions › Request URL',
  challenges: [
    {
      has: [{ place: { path: 'type' }, equals: 'url_verification' }, { place: { path: 'challenge' } }],
      isSigned: true,
      // The events of the app alone ask it: its commands and buttons do not.
      isOptional: true,
      answer: { text: { path: 'challenge' } },
    },
  ],
  templates: [
    {
      signatureHeader: 'x-slack-signature',
      prefix: 'v0=',
      encoding: 'hex',
      algorithm: 'sha256',
      key: 'text',
      signed: 'v0:{{timestamp}}:{{body}}',
      timestampHeader: 'x-slack-request-timestamp',
      timestampUnit: 's',
      windowMs: 300_000,
      eventName: { path: 'event.type' },
      data: { path: 'event' },
    },
  ],
} satisfies SchemeKind
