import type { SchemeKind } from '../scheme-kind.ts'

/** https://docs.gitlab.com/user/project/integrations/webhooks/ */
export const gitlab = {
  title: 'GitLab',
  about: 'x-gitlab-token',
  secret: 'The secret token that you enter for the webhook at GitLab.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the token can send any event.',
  templates: [
    {
      verify: 'token',
      signatureHeader: 'x-gitlab-token',
      idHeader: 'x-gitlab-event-uuid',
      eventName: { header: 'x-gitlab-event' },
      data: 'body',
    },
  ],
} satisfies SchemeKind
