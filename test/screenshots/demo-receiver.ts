import { openExternalSystem } from '../support/external-system.ts'

const refund = `{"refund":{"id":"rf_8Q2mX4","status":"pending","amount":{"value":49.00,"currency":"EUR"},"settles_at":"2026-11-24T00:00:00Z","reversible":true},"order":{"id":"ORD-20418","customer":{"name":"Maya Lindqvist","email":"maya.lindqvist@example.com","since":2019},"lines":[{"sku":"KB-87-GRY","quantity":1},{"sku":"CBL-USBC-2M","quantity":2},{"sku":"GIFT-CARD","quantity":1}]}}`

const answers: Readonly<Record<string, { status: number; body: string }>> = {
  'POST /v2/refunds': { status: 200, body: refund },
  'GET /v2/orders/lookup': {
    status: 200,
    body: '{"order":{"id":"ORD-20418","number":9007199254740993,"status":"paid","total":149.00}}',
  },
  'GET /v2/orders': { status: 200, body: '{"orders":[{"id":"ORD-20418"},{"id":"ORD-20417"}],"next":null}' },
  'GET /v2/stock/levels': { status: 404, body: '{"error":"unknown_sku","sku":"KB-87-GRN"}' },
}

/** An external system as the demonstration's actions call it. The caller closes it. */
export function openDemoReceiver() {
  return openExternalSystem(({ method, url }, response) => {
    const { status, body } = answers[`${method} ${url.split('?')[0]}`] ?? { status: 200, body: '{"ok":true}' }
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_5f1c' }).end(body)
  })
}
