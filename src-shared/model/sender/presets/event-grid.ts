import type { SchemeKind } from '../scheme-kind.ts'

const events = {
  eventName: [{ path: 'eventType' }, { path: 'type' }],
  data: { items: 'body' },
} satisfies Partial<SchemeKind['templates'][0]>
const withToken = { verify: 'token', signature: { query: 'token' }, ...events } as const

/** https://learn.microsoft.com/azure/event-grid/security-authentication, https://learn.microsoft.com/azure/event-grid/delivery-properties */
export const eventGrid = {
  title: 'Azure Event Grid',
  about: 'a token in the URL or a header',
  secret:
    'Choose one, and add it to the inbound URL at Event Grid as `?token=SECRET`, or under Delivery Properties as a header `Authorization` with the value `Bearer SECRET`: Event Grid does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the token can send any event.',
  urlPlace: 'The topic › Event Subscription › Endpoint type Web Hook',
  challenges: [
    {
      has: [{ place: { header: 'aeg-event-type' }, equals: 'SubscriptionValidation' }],
      isSigned: true,
      confirm: { place: { path: '0.data.validationUrl' }, hosts: ['*.eventgrid.azure.net'], by: 'owner' },
      answer: { json: { validationResponse: { path: '0.data.validationCode' } } },
    },
  ],
  templates: [withToken, { verify: 'token', signatureHeader: 'authorization', prefix: 'Bearer ', ...events }],
  checks: [
    {
      title: 'A token in the URL or a header',
      text: 'In the URL that you enter there, or in a header under Delivery Properties. Compared in constant time.',
      template: withToken,
    },
    {
      title: 'Nothing',
      text: 'Only the URL is secret.',
      template: { verify: 'none', ...events },
      secret: 'Nothing to enter: Event Grid does not sign.',
      uncovered: 'Nothing of the request: anyone who knows the URL can send any event.',
    },
  ],
} satisfies SchemeKind
