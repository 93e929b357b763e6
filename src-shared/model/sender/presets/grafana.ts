import type { SchemeKind } from '../scheme-kind.ts'

/** https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/ */
export const grafana = {
  title: 'Grafana',
  about: 'x-grafana-alerting-signature',
  secret:
    'The HMAC secret of the contact point at Grafana. Enter X-Grafana-Alerting-Timestamp as its timestamp header.',
  hasOwnSecret: true,
  templates: [
    {
      signatureHeader: 'x-grafana-alerting-signature',
      encoding: 'hex',
      signed: '{{timestamp}}:{{body}}',
      timestampHeader: 'x-grafana-alerting-timestamp',
      eventName: { path: 'status' },
    },
  ],
} satisfies SchemeKind
