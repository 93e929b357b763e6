import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.okta.com/docs/concepts/event-hooks/ */
export const okta = {
  title: 'Okta',
  about: 'authorization',
  secret:
    'The authentication secret that you enter for the event hook, with the authentication field Authorization: Okta does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the secret can send any event.',
  urlPlace: 'Workflow › Event Hooks › Create Event Hook',
  challenges: [
    {
      method: 'GET',
      has: [{ place: { header: 'x-okta-verification-challenge' } }],
      isSigned: false,
      answer: { json: { verification: { header: 'x-okta-verification-challenge' } } },
    },
  ],
  templates: [
    {
      verify: 'token',
      signatureHeader: 'authorization',
      id: { path: 'eventId' },
      eventName: { path: 'eventType' },
      data: { items: 'data.events' },
    },
  ],
} satisfies SchemeKind
