import type { SchemeKind } from '../scheme-kind.ts'

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
export const mailgun = {
  title: 'Mailgun',
  about: 'signature.signature of the body',
  secret: 'The HTTP webhook signing key, under API security at Mailgun.',
  hasOwnSecret: true,
  uncovered:
    'It covers a time and a random token, but not the event, which anyone who saw a request can change for 5 minutes.',
  templates: [
    {
      signature: { path: 'signature.signature' },
      encoding: 'hex',
      signed: '{{timestamp}}{{id}}',
      timestamp: { path: 'signature.timestamp' },
      id: { path: 'signature.token' },
      eventName: { path: 'event-data.event' },
      data: { path: 'event-data' },
    },
  ],
} satisfies SchemeKind
