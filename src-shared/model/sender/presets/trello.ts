import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/ */
export const trello = {
  title: 'Trello',
  about: 'x-trello-webhook',
  secret:
    'The secret of the app, under API key at Trello. The callback URL there must be the inbound URL exactly.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  urlPlace: 'POST /1/webhooks of its API, with the URL as `callbackURL`',
  challenges: [{ method: 'HEAD', has: [], isSigned: false, answer: { empty: 200 } }],
  templates: [
    {
      signatureHeader: 'x-trello-webhook',
      encoding: 'base64',
      algorithm: 'sha1',
      signed: '{{body}}{{url}}',
      eventName: { path: 'action.type' },
    },
  ],
} satisfies SchemeKind
