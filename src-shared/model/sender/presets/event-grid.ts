import type { SchemeKind } from '../scheme-kind.ts'

/** https://learn.microsoft.com/azure/event-grid/webhook-event-delivery */
export const eventGrid = {
  title: 'Azure Event Grid',
  about: 'the query parameter token',
  secret:
    'Choose one, and add it to the inbound URL at Event Grid as ?token=SECRET: Event Grid does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL with its token can send any event.',
  urlPlace: 'The topic › Event Subscription › Endpoint type Web Hook',
  challenges: [
    {
      has: [{ place: { header: 'aeg-event-type' }, equals: 'SubscriptionValidation' }],
      isSigned: true,
      confirm: { place: { path: '0.data.validationUrl' }, hosts: ['*.eventgrid.azure.net'], by: 'owner' },
      answer: { json: { validationResponse: { path: '0.data.validationCode' } } },
    },
  ],
  templates: [
    {
      verify: 'token',
      signature: { query: 'token' },
      eventName: [{ path: 'eventType' }, { path: 'type' }],
      data: { items: 'body' },
    },
  ],
} satisfies SchemeKind
