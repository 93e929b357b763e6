import type { SchemeKind } from '../scheme-kind.ts'

/** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
export const alertmanager = {
  title: 'Alertmanager',
  about: 'authorization, a user and a password',
  secret:
    'The user and the password of basic_auth under http_config of the receiver: Alertmanager does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the password can send any event.',
  templates: [{ verify: 'basic', eventName: { path: 'status' }, data: { items: 'alerts' } }],
} satisfies SchemeKind
