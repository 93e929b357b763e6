import type { SchemeKind } from '../scheme-kind.ts'

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks */
export const graph = {
  title: 'Microsoft Graph',
  about: 'value.0.clientState of the body',
  secret: 'Choose one, and give it as clientState when you create the subscription: Graph does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the client state can send any event.',
  urlPlace: 'POST /subscriptions of its API, with the URL as `notificationUrl`',
  challenges: [
    {
      has: [{ place: { query: 'validationToken' } }],
      isSigned: false,
      answer: { text: { query: 'validationToken' } },
    },
  ],
  templates: [
    {
      verify: 'token',
      signature: { path: 'value.0.clientState' },
      eventName: [{ path: 'changeType' }, { path: 'lifecycleEvent' }],
      data: { items: 'value' },
    },
  ],
} satisfies SchemeKind
