export const response = `{"refund":{"id":"rf_8Q2mX4","status":"pending","amount":{"value":49.00,"currency":"EUR"},
"settles_at":"2026-11-24T00:00:00Z","reversible":true},"order":{"id":"ORD-20418","number":9007199254740993,
"customer":{"name":"Maya Lindqvist","email":"maya@example.com","tags":[]},
"lines":[{"sku":"KB-87-GRY"},{"sku":"CBL-USBC-2M"},{"sku":"MS-12"}]}}`

export const sample = `{
  "order_id": "ORD-20418",
  "number": 9007199254740993,
  "total": 149.00,
  "currency": "EUR",
  "customer": {
    "name": "Maya Lindqvist",
    "email": "maya.lindqvist@example.com"
  },
  "express": true
}`

const order = (number: number) => ({
  order_id: `ORD-${number}`,
  total: 149.5,
  customer: { name: 'Maya Lindqvist', email: `maya.${number}@example.com` },
  lines: [
    { sku: 'KB-87-GRY', quantity: 1 },
    { sku: 'CBL-USBC-2M', quantity: 2 },
  ],
})

/** About 5 MiB of JSON. */
export const large = JSON.stringify({ orders: Array.from({ length: 30_000 }, (_, index) => order(index)) })
