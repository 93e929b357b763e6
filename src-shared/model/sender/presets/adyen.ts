import type { SchemeKind } from '../scheme-kind.ts'

const item = 'notificationItems.0.NotificationRequestItem'
const fields = [
  ...['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference'],
  ...['amount.value', 'amount.currency', 'eventCode', 'success'],
]

/** https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures */
export const adyen = {
  title: 'Adyen',
  about: 'hmacSignature of the body',
  secret: 'The HMAC key of the webhook in the Customer Area of Adyen, hexadecimal digits.',
  hasOwnSecret: true,
  answer: { text: '[accepted]' },
  uncovered:
    'It covers the references, the amount, the code and the success of the notification, but nothing else and no time.',
  templates: [
    {
      signature: { path: `${item}.additionalData.hmacSignature` },
      encoding: 'base64',
      key: 'hex',
      signed: fields.map(field => `{{body:${item}.${field}}}`).join(':'),
      // Each item has a signature of its own, and this is that of the first: a request with more is refused.
      eventName: { path: `${item}.eventCode` },
      data: { path: item },
    },
  ],
} satisfies SchemeKind
