/** An import document with two errors, at lines 13 and 22, and a warning at line 20. */
export const brokenImport = `{
  "version": 1,
  "connection": {
    "name": "Acme Orders ERP",
    "baseUrl": "https://api.acme-erp.com/v2",
    "persistEvents": true
  },
  "actions": [
    {
      "name": "Look up an order",
      "description": "Find one order by its number.",
      "method": "GET",
      "path": "/orders/{order_id}",
      "headers": { "X-Api-Key": "{{ACME_API_KEY}}" }
    },
    {
      "name": "Cancel an order",
      "description": "Cancel an order that has not shipped.",
      "path": "/orders/cancel",
      "retries": 2,
      "parameters": [
        { "name": "order_id", "type": "text", "description": "Order number", "required": true }
      ]
    }
  ]
}`
