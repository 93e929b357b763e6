import type { ShapeName } from '#shared/model/platform/agent.ts'

export const hours = { start: '09:00', end: '17:00' }
export const form = { fields: ['order_id', 'reason'], submitUrl: 'https://forms.example/refund' }

/** Every field of every shape. */
export const acceptedShapes: Record<ShapeName, object> = {
  widget: {
    agentId: 'agent_northwind_help',
    bubbleColor: '#0B6E63',
    bubbleTextColor: '#FFF',
    chatBackgroundColor: '#F7F5F080',
    chatHeaderBackgroundColor: '#F2A65A',
    chatHeaderTextColor: '#1F2937',
    position: 'top-left',
    autoOpen: true,
    openDelay: 4000,
    fileUploadEnabled: true,
    chatHistoryEnabled: false,
    displayBranding: false,
    logoUrl: 'https://cdn.northwind.example/mark.svg?v=2',
  },
  voice: {
    voice: 'nova-warm',
    responseRate: 'patient',
    silenceTimeout: 900,
    interruptionThreshold: 0,
    language: 'en-GB',
    accent: 'Scottish',
  },
  crawler: {
    startUrl: 'https://northwind.example/help',
    includePatterns: ['/help/*', '/products/*'],
    excludePatterns: ['*/print'],
    maxDepth: 0,
    maxPages: 100_000,
  },
  calendar: {
    workingHours: { monday: hours, saturday: { start: '00:00', end: '24:00' } },
    bufferTime: 15,
    maxAdvanceBooking: 0,
  },
  language: {
    primaryLanguage: 'en',
    secondaryLanguage: 'zh-Hant-TW',
    autoDetect: false,
    translations: { greeting_en: 'Hello', greeting_de: 'Guten Tag' },
  },
  'conversation-actions': [
    { trigger: 'keyword:refund', action: 'open_refund', form },
    { trigger: 'keyword:call me', action: 'request_callback', form: { ...form, fields: [] } },
  ],
  'text-responses': [{ key: 'Order is late', text: 'Sorry {customer_name}, {order_id} is late.' }],
  'sms-keywords': { stop: 'Bye.', help: 'Call us.', menu: '1 Order, 2 Refund' },
}
