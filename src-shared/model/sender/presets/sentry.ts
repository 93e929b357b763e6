import type { SchemeKind } from '../scheme-kind.ts'

/** https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
export const sentry = {
  title: 'Sentry',
  about: 'sentry-hook-signature',
  secret: 'The client secret of the integration, in its settings at Sentry.',
  hasOwnSecret: true,
  uncovered:
    'It covers neither a time nor the name of the event, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'sentry-hook-signature',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { header: 'sentry-hook-resource' },
    },
  ],
} satisfies SchemeKind
