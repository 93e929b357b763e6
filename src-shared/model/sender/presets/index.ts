import type { SchemeKind } from '../scheme-kind.ts'
import { adyen } from './adyen.ts'
import { alertmanager } from './alertmanager.ts'
import { asana } from './asana.ts'
import { bitbucket } from './bitbucket.ts'
import { calendly } from './calendly.ts'
import { discord } from './discord.ts'
import { docusign } from './docusign.ts'
import { dropbox } from './dropbox.ts'
import { eventGrid } from './event-grid.ts'
import { gitlab } from './gitlab.ts'
import { grafana } from './grafana.ts'
import { graph } from './graph.ts'
import { hubspot } from './hubspot.ts'
import { intercom } from './intercom.ts'
import { jira } from './jira.ts'
import { line } from './line.ts'
import { linear } from './linear.ts'
import { mailgun } from './mailgun.ts'
import { mandrill } from './mandrill.ts'
import { meta } from './meta.ts'
import { notion } from './notion.ts'
import { okta } from './okta.ts'
import { paddle } from './paddle.ts'
import { pagerduty } from './pagerduty.ts'
import { paypal } from './paypal.ts'
import { pubsub } from './pubsub.ts'
import { razorpay } from './razorpay.ts'
import { sendgrid } from './sendgrid.ts'
import { sentry } from './sentry.ts'
import { sns } from './sns.ts'
import { square } from './square.ts'
import { telegram } from './telegram.ts'
import { trello } from './trello.ts'
import { twilio } from './twilio.ts'
import { typeform } from './typeform.ts'
import { woocommerce } from './woocommerce.ts'
import { xero } from './xero.ts'
import { zendesk } from './zendesk.ts'
import { zoom } from './zoom.ts'

/** The schemes of providers whose fields can be overridden, in the order of their use. */
export const presetKinds = {
  twilio,
  meta,
  hubspot,
  paypal,
  sendgrid,
  mailgun,
  discord,
  sns,
  'event-grid': eventGrid,
  pubsub,
  graph,
  gitlab,
  zendesk,
  jira,
  bitbucket,
  linear,
  intercom,
  square,
  calendly,
  typeform,
  zoom,
  asana,
  notion,
  dropbox,
  trello,
  telegram,
  okta,
  grafana,
  alertmanager,
  xero,
  woocommerce,
  paddle,
  line,
  sentry,
  pagerduty,
  razorpay,
  mandrill,
  adyen,
  docusign,
} satisfies Record<string, SchemeKind>
