import type { SchemeKind } from '../scheme-kind.ts'

const events = { eventName: { path: 'status' }, data: { items: 'alerts' } } as const
const withPassword = { verify: 'basic', ...events } as const

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
export const alertmanager = {
  title: 'Alertmanager',
  about: 'authorization, a user and a password',
  secret:
    'The user and the password of basic_auth under http_config of the receiver: Alertmanager does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the password can send any event.',
  templates: [withPassword],
  checks: [
    {
      title: 'A user and a password',
      text: 'Those of `basic_auth` under `http_config` of the receiver.',
      template: withPassword,
    },
    {
      title: 'A token',
      text: 'The `credentials` of `authorization` under `http_config`. Compared in constant time.',
      template: { verify: 'token', signatureHeader: 'authorization', prefix: 'Bearer ', ...events },
      secret:
        'The credentials of authorization under http_config of the receiver: Alertmanager does not sign.',
      uncovered: 'Nothing of the request: anyone who knows the URL and the token can send any event.',
    },
  ],
} satisfies SchemeKind
