/** The import documents of the demonstration's connections, as a user would write them. */

const string = (name: string, description: string, required = true) => ({
  name,
  type: 'string',
  description,
  required,
})

const refundOf = (amount: number) => ({
  ...{ order_id: 'ORD-20418', amount, reason: 'Arrived damaged', metadata: { ticket: 'SUP-3312' } },
  notify_customer: true,
})

const refundCases = [
  {
    name: 'Refund in full',
    arguments: refundOf(149),
    expect: { status: 200, fields: [{ path: 'refund.id', rule: 'exists' }] },
  },
  {
    name: 'Refund in part',
    arguments: refundOf(49),
    expect: {
      status: 200,
      fields: [
        { path: 'refund.id', rule: 'exists' },
        { path: 'refund.status', rule: 'equals', value: 'pending' },
        { path: 'refund.amount.value', rule: 'equals', value: 4900 },
        { path: 'refund.settles_at', rule: 'type', value: 'date' },
        { path: 'order.lines', rule: 'type', value: 'array' },
      ],
    },
  },
  {
    name: 'Order is known',
    arguments: refundOf(1),
    expect: { status: 200, fields: [{ path: 'order.customer.name', rule: 'matches', value: 'Maya *' }] },
  },
]

/** @param baseUrl of the receiver that answers. */
export function acmeOrders(baseUrl: string) {
  const headers = { 'X-Api-Key': '{{ACME_API_KEY}}', 'X-Tenant': '{{ACME_TENANT}}' }
  return {
    version: 1,
    connection: { name: 'Acme Orders ERP', baseUrl: `${baseUrl}/v2`, persistEvents: true },
    actions: [
      {
        name: 'Look up an order',
        toolName: 'look_up_order',
        description: 'Find one order by its number. Use it when the customer names an order.',
        method: 'GET',
        path: '/orders/lookup',
        parameters: [string('order_id', 'Order number, such as ORD-20418')],
        cases: [
          {
            name: 'A paid order',
            arguments: { order_id: 'ORD-20418' },
            expect: { status: 200, fields: [{ path: 'order.status', rule: 'equals', value: 'paid' }] },
          },
          { name: 'Order is unknown', arguments: { order_id: 'ORD-2041' }, expect: { status: 404 } },
        ],
      },
      {
        name: 'List recent orders',
        description: 'The newest orders of a customer.',
        method: 'GET',
        path: '/orders?sort=-created_at',
        parameters: [
          string('email', 'E-mail address of the customer'),
          { ...string('limit', 'How many', false), type: 'number' },
        ],
        cases: [
          {
            name: 'Orders of Maya',
            arguments: { email: 'maya.lindqvist@example.com' },
            expect: { status: '2xx', fields: [{ path: 'orders', rule: 'type', value: 'array' }] },
          },
        ],
      },
      {
        name: 'Create a refund',
        toolName: 'create_refund',
        description:
          'Refund an order in full or in part. Use it when the customer asks for money back and has named the order; ask for the amount if it is not clear.',
        method: 'POST',
        path: '/refunds',
        headers,
        parameters: [
          string('order_id', 'Order number, such as ORD-20418'),
          {
            name: 'amount',
            type: 'number',
            description: 'Amount in the currency of the order',
            required: true,
          },
          string('reason', 'Why, in a few words', true),
          { name: 'metadata', type: 'object', description: 'Anything else to keep with it', required: false },
          {
            name: 'notify_customer',
            type: 'boolean',
            description: 'Send the customer an e-mail',
            required: false,
          },
        ],
        responseMapping: {
          refund_id: 'refund.id',
          status: 'refund.status',
          amount: 'refund.amount.value',
          customer: 'order.customer.name',
        },
        cases: refundCases,
      },
      {
        name: 'Cancel an order',
        toolName: 'cancel_order',
        description: 'Cancel an order that has not been shipped.',
        method: 'POST',
        path: '/orders/cancel',
        headers,
        parameters: [string('order_id', 'Order number')],
      },
      {
        name: 'Change delivery address',
        description: 'Change where an order goes before it is shipped.',
        method: 'PATCH',
        path: '/orders/address',
        parameters: [string('orderId', 'Order number'), string('address', 'The whole address')],
      },
      {
        name: 'Replace order notes',
        description: 'Replace the notes of an order.',
        method: 'PUT',
        path: '/orders/notes',
        parameters: [string('order_id', 'Order number'), string('notes', 'The new notes')],
      },
      {
        name: 'Check stock',
        description: 'How many of an article are in stock.',
        method: 'GET',
        path: '/stock/levels',
        parameters: [string('sku', 'Article number')],
        cases: [{ name: 'Article is unknown', arguments: { sku: 'KB-87-GRN' }, expect: { status: 404 } }],
      },
      {
        name: 'Resend an invoice',
        toolName: 'resend_invoice',
        description: 'Send the invoice of an order again.',
        method: 'POST',
        path: '/invoices/resend',
        parameters: [string('order_id', 'Order number')],
      },
      {
        name: 'Remove a saved card',
        toolName: 'remove_saved_card',
        description: 'Remove a saved card of a customer. Only on their explicit wish.',
        method: 'DELETE',
        path: '/customers/cards',
        isEnabled: false,
        parameters: [string('card_id', 'Id of the card')],
      },
    ],
    events: [
      {
        eventName: 'order.created',
        label: 'Order created',
        samplePayload: { order_id: 'ORD-20419', total: 24.9 },
      },
      {
        eventName: 'order.paid',
        label: 'Order paid',
        samplePayload: {
          order_id: 'ORD-20418',
          total: 149,
          currency: 'EUR',
          customer: { name: 'Maya Lindqvist', email: 'maya.lindqvist@example.com' },
          lines: [
            { sku: 'KB-87-GRY', quantity: 1 },
            { sku: 'CBL-USBC-2M', quantity: 2 },
          ],
          express: true,
        },
      },
      {
        eventName: 'order.shipped',
        label: 'Order shipped',
        samplePayload: { order_id: 'ORD-20402', carrier: 'DHL' },
      },
      { eventName: 'order.cancelled', label: 'Order cancelled', samplePayload: { order_id: 'ORD-20377' } },
      { eventName: 'refund.settled', label: 'Refund settled', samplePayload: { refund_id: 'rf_8Q2mX4' } },
      { eventName: 'stock.low' },
    ],
  }
}

export type SmallConnection = {
  readonly name: string
  readonly baseUrl: string | null
  readonly actions: number
  readonly eventNames: readonly string[]
  /** Events in an hour at most. */
  readonly peak: number
  /** When the newest of them came; over 60 for none within the last hour. */
  readonly lastMinutesAgo: number
  readonly enabled?: boolean
}

export const smallConnections: readonly SmallConnection[] = [
  {
    name: 'Warehouse WMS',
    baseUrl: 'http://10.20.4.18:9000',
    actions: 4,
    eventNames: ['stock.adjusted', 'stock.counted', 'pallet.moved'],
    peak: 30,
    lastMinutesAgo: 1,
  },
  {
    name: 'Billing Bridge',
    baseUrl: 'https://billing.fakturia.io/api',
    actions: 5,
    eventNames: ['invoice.issued', 'invoice.paid'],
    peak: 8,
    lastMinutesAgo: 41,
  },
  {
    name: 'Storefront',
    baseUrl: 'https://shop.northwind.example/store-api',
    actions: 11,
    eventNames: ['cart.abandoned', 'cart.checked_out'],
    peak: 14,
    lastMinutesAgo: 18,
  },
  {
    name: 'Clinic Calendar',
    baseUrl: 'https://cal.praxis-nord.example',
    actions: 6,
    eventNames: ['appointment.booked'],
    peak: 4,
    lastMinutesAgo: 120,
  },
  {
    name: 'HR Directory',
    baseUrl: null,
    actions: 0,
    eventNames: ['employee.joined'],
    peak: 0,
    lastMinutesAgo: 720,
  },
  {
    name: 'Acme Orders ERP (staging)',
    baseUrl: 'https://staging.acme-erp.com/v2',
    actions: 9,
    eventNames: [],
    peak: 0,
    lastMinutesAgo: 720,
  },
  {
    name: 'Legacy CRM',
    baseUrl: 'https://crm.internal:8443',
    actions: 3,
    eventNames: ['contact.updated'],
    peak: 0,
    lastMinutesAgo: 720,
    enabled: false,
  },
]

/** How busy an hour of the day before now is, from 0 to 1; 23 is the hour that has begun. */
export function busyness(hour: number): number {
  return 0.25 + 0.75 * Math.sin((Math.PI * Math.min(hour, 22)) / 24) ** 2
}

export const reserveStock = {
  name: 'Reserve stock',
  toolName: 'reserve_stock',
  description: 'Reserve the lines of an order. Use it when an order is paid.',
  method: 'POST',
  path: '/reservations',
  parameters: [
    string('order_id', 'Order number, such as ORD-20418', true),
    string('sku', 'Article number', true),
    { name: 'quantity', type: 'number', description: 'How many', required: true },
    string('note', 'For the people in the warehouse'),
  ],
}

const notify = (key: string, message: string) => ({ key, type: 'notify', message })
const above = (value: string, operand: number) => ({ value, operator: 'greater', operand })

/** The workflows of the demonstration, by the ids of the connections that they refer to. */
export function workflows(ids: { acme: string; warehouse: string; storefront: string }) {
  return [
    {
      name: 'Paid order: reserve and notify',
      enabled: true,
      trigger: { type: 'external.event', connectionId: ids.acme, eventName: 'order.paid' },
      steps: [
        {
          key: 'size',
          type: 'branch',
          cases: [
            {
              when: above('{{total}}', 500),
              steps: [notify('large', 'Check order {{order_id}} by hand')],
            },
          ],
          otherwise: [
            {
              key: 'reserve',
              type: 'action',
              connectionId: ids.warehouse,
              toolName: 'reserve_stock',
              arguments: {
                order_id: '{{order_id}}',
                sku: '{{lines.0.sku}}',
                quantity: '{{lines.0.quantity}}',
                note: 'Order for {{customer.name}}',
              },
            },
          ],
        },
        notify('tell', 'Order {{order_id}} paid: {{total}} {{currency}}'),
      ],
    },
    {
      name: 'High-value order review',
      enabled: true,
      trigger: { type: 'external.event', connectionId: ids.acme, eventName: 'order.paid' },
      steps: [
        {
          key: 'size',
          type: 'branch',
          cases: [{ when: above('{{total}}', 1000), steps: [notify('review', 'Review {{order_id}}')] }],
          otherwise: [],
        },
      ],
    },
    {
      name: 'Stock correction to ERP',
      enabled: true,
      trigger: { type: 'external.event', connectionId: ids.warehouse, eventName: 'stock.adjusted' },
      steps: [
        {
          key: 'correct',
          type: 'action',
          connectionId: ids.acme,
          toolName: 'check_stock',
          arguments: { sku: 'KB-87-GRN' },
        },
      ],
    },
    {
      name: 'Abandoned cart reminder',
      enabled: false,
      trigger: { type: 'external.event', connectionId: ids.storefront, eventName: 'cart.abandoned' },
      steps: [{ key: 'later', type: 'wait', seconds: 3600 }, notify('remind', 'A cart was left')],
    },
  ]
}

export const crawler = {
  startUrl: 'https://northwind.example/help',
  includePatterns: ['/help/*', '/products/*', '/guides/*'],
  excludePatterns: ['/products/archive/*', '*/print'],
}

const office = { start: '09:00', end: '17:00' }
export const calendar = {
  workingHours: {
    monday: office,
    tuesday: office,
    wednesday: { start: '09:00', end: '13:00' },
    thursday: office,
    friday: { start: '09:00', end: '15:30' },
  },
  bufferTime: 15,
}

/** URLs that the crawler's patterns are tried against. */
export const triedUrls = [
  'https://northwind.example/help/returns',
  'https://northwind.example/help/',
  'https://northwind.example/help/returns/print',
  'https://northwind.example/products/kb-87',
  'https://northwind.example/products/hub-7p?ref=mail',
  'https://northwind.example/products/archive/kb-60',
  'https://northwind.example/Help/Shipping',
  'https://northwind.example/cart',
  'https://blog.northwind.example/launch',
  'htp:/northwind.example/help',
]

/** The files of the agent, by name. The last one cannot be read. */
export const knowledgeFiles: readonly (readonly [name: string, text: string])[] = [
  ['opening-hours.txt', 'Monday to Friday, 9:00 to 17:00.\nSaturday, 10:00 to 14:00.\n'],
  ['delivery-zones.csv', 'zone,price,days\nnorth,5,2\nsouth,6,2,express\neast,7,3\n'],
  [
    'Returns and refunds policy.txt',
    `1. Damaged goods
A customer who receives a damaged article may return it within 30 days at our expense.
Northwind refunds the price of the article and the postage paid.

2. Time to refund
Refunds are made to the means of payment used for the order, within three working days.
`,
  ],
  ['Holiday hours.pages', 'PK\u0003\u0004'],
]

const inPath = (name: string, description: string) => ({
  ...{ name, description, in: 'path', required: true, schema: { type: 'string' } },
})
const operation = (operationId: string, tag: string, names: readonly string[]) => ({
  ...{ operationId, tags: [tag], responses: {} },
  parameters: names.map(name => ({ name, in: 'query', schema: { type: 'string' } })),
})

/** A part of the description of an API whose paths have placeholders. */
export const repositoriesApi = {
  openapi: '3.1.0',
  info: { title: 'Repositories', version: '1' },
  servers: [{ url: 'https://api.repositories.example' }],
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      app: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://auth.repositories.example/token', scopes: {} } },
      },
      key: { type: 'apiKey', in: 'header', name: 'X-Repository-Key' },
    },
  },
  security: [{ token: [] }, { app: [] }, { key: [] }],
  paths: {
    '/repos/{owner}/{repo}/issues': {
      parameters: [
        inPath('owner', 'The account owner of the repository. The name is not case sensitive.'),
        inPath('repo', 'The name of the repository without the extension.'),
      ],
      get: operation('listIssues', 'issues', ['state', 'labels', 'sort', 'since', 'page']),
      post: operation('createIssue', 'issues', ['notify']),
    },
    '/repos/{owner}/{repo}/issues/{issue_number}': {
      parameters: [inPath('issue_number', 'The number that identifies the issue.')],
      get: operation('getIssue', 'issues', []),
      patch: operation('updateIssue', 'issues', ['notify']),
      head: operation('seeIssue', 'issues', []),
    },
    '/repos/{owner}/{repo}/issues/{issue_number}/lock': {
      put: operation('lockIssue', 'issues', ['reason']),
      delete: operation('unlockIssue', 'issues', []),
    },
    '/orgs/{org}/issues': { get: operation('listOrganizationIssues', 'issues', ['filter', 'state', 'page']) },
    '/user/issues': { get: operation('listOwnIssues', 'issues', ['filter', 'state', 'page']) },
  },
}

/** An API whose files and webhooks have servers of their own, and which has a sandbox. */
export const withServers = {
  openapi: '3.1.0',
  info: { title: 'Parcels', version: '4' },
  servers: [{ url: 'https://api.parcels.example/v4' }, { url: 'https://sandbox.parcels.example/v4' }],
  components: {
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer' },
      upload: { type: 'apiKey', in: 'header', name: 'X-Upload-Key' },
    },
  },
  security: [{ token: [] }],
  paths: {
    '/parcels': {
      get: operation('listParcels', 'parcels', ['state', 'page']),
      post: operation('createParcel', 'parcels', ['notify']),
    },
    '/depots': { get: operation('listDepots', 'depots', ['country']) },
    '/labels': {
      servers: [{ url: 'https://files.parcels.example' }],
      post: { ...operation('uploadLabel', 'labels', ['format']), security: [{ upload: [] }] },
    },
    '/positions': {
      servers: [{ url: 'https://tracking.parcels.example/live' }],
      get: operation('listPositions', 'tracking', ['parcel']),
    },
  },
  webhooks: { 'parcel.delivered': { post: { requestBody: { content: {} } } } },
}
