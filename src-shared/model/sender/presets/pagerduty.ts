import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.pagerduty.com/docs/verifying-webhook-signatures */
export const pagerduty = {
  title: 'PagerDuty',
  about: 'x-pagerduty-signature',
  secret: 'The secret that PagerDuty shows once when the webhook subscription is created.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-pagerduty-signature',
      prefix: 'v1=',
      separator: ',',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { path: 'event.event_type' },
      data: { path: 'event' },
    },
  ],
} satisfies SchemeKind
