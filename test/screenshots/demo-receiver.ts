import { openExternalSystem } from '../support/external-system.ts'

const refund = `{"refund":{"id":"rf_8Q2mX4","status":"pending","amount":{"value":49.00,"currency":"EUR"},"settles_at":"2026-11-24T00:00:00Z","reversible":true},"order":{"id":"ORD-20418","customer":{"name":"Maya Lindqvist","email":"maya.lindqvist@example.com","since":2019},"lines":[{"sku":"KB-87-GRY","quantity":1},{"sku":"CBL-USBC-2M","quantity":2},{"sku":"GIFT-CARD","quantity":1}]}}`

const answers: Readonly<Record<string, { status: number; body: string }>> = {
  'POST /v2/refunds': { status: 200, body: refund },
  'GET /v2/orders/lookup': {
    status: 200,
    body: '{"order":{"id":"ORD-20418","number":9007199254740993,"status":"paid","total":149.00}}',
  },
  'GET /v2/orders': { status: 200, body: '{"orders":[{"id":"ORD-20418"},{"id":"ORD-20417"}],"next":null}' },
  'POST /wms/reservations': {
    status: 200,
    body: '{"reservation":"rsv_71b0c2","warehouse":"GOT-2","until":"2026-11-23T12:00:00Z"}',
  },
  'GET /v2/stock/levels': { status: 404, body: '{"error":"unknown_sku","sku":"KB-87-GRN"}' },
}

/** The answer about an order that is not there. */
const unknownOrder = { status: 404, body: '{"error":"unknown_order"}' }

/** The answer about one order, so that its run waits. */
const maintenance = { status: 503, body: '{"error":"maintenance","message":"Back at 14:35"}' }

/** An external system as the demonstration's actions call it. The caller closes it. */
export function openDemoReceiver() {
  return openExternalSystem(({ method, url, headers, body: sent }, response) => {
    const isSigned = headers['x-service-signature'] && headers['x-service-timestamp']
    if (!isSigned) return void response.writeHead(401).end('{"error":"unsigned"}')
    if (sent !== '' && !sent.startsWith('{'))
      return void response.writeHead(500).end('{"error":"unexpected_token"}')
    const answer = answers[`${method} ${url.split('?')[0]}`] ?? { status: 200, body: '{"ok":true}' }
    const { status, body } = sent.includes('ORD-20414')
      ? maintenance
      : /=ORD-2041(&|$)/.test(url)
        ? unknownOrder
        : answer
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_5f1c' }).end(body)
  })
}
