import type { SchemeKind } from '../scheme-kind.ts'

/** https://developer.atlassian.com/cloud/jira/platform/webhooks/ */
export const jira = {
  title: 'Jira',
  about: 'x-hub-signature',
  secret: 'The secret that you enter for the webhook at Jira.',
  hasOwnSecret: true,
  uncovered: 'It covers no time, so a copied request is recognized as a repeat for 24 hours only.',
  templates: [
    {
      signatureHeader: 'x-hub-signature',
      prefix: 'sha256=',
      encoding: 'hex',
      signed: '{{body}}',
      eventName: { path: 'webhookEvent' },
    },
  ],
} satisfies SchemeKind
