import type { SchemeKind } from '../scheme-kind.ts'

/** https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions */
export const pubsub = {
  title: 'Google Pub/Sub',
  about: 'authorization, a JWT',
  secret:
    'Nothing to enter: Google signs with keys that are fetched from googleapis.com. Enable authentication for the push subscription.',
  hasOwnSecret: true,
  settings: {
    audience: 'The audience of the push subscription at Google. If none is entered there, the inbound URL.',
    email: 'The email address of the service account that the push subscription authenticates as.',
  },
  uncovered: 'It covers only who sends and when, not the message.',
  templates: [
    {
      verify: 'jwt',
      jwt: {
        header: 'authorization',
        algorithm: 'RS256',
        issuer: 'https://accounts.google.com',
        audience: '{{setting:audience}}',
        claims: { email: '{{setting:email}}' },
      },
      keysUrl: 'https://www.googleapis.com/oauth2/v3/certs',
      id: { path: 'message.messageId' },
      eventName: [{ path: 'message.attributes.type' }, { constant: 'message' }],
      data: { path: 'message.data' },
      decodesData: true,
    },
  ],
} satisfies SchemeKind
