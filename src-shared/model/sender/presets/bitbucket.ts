import type { SchemeKind } from '../scheme-kind.ts'

/** https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/ */
export const bitbucket = {
  title: 'Bitbucket',
  about: 'x-hub-signature',
  secret: 'The secret that you enter for the webhook at Bitbucket.',
  hasOwnSecret: true,
  uncovered:
    'It covers neither a time nor the name of the event, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-hub-signature',
      prefix: 'sha256=',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { header: 'x-event-key' },
    },
  ],
} satisfies SchemeKind
