/** The texts, actions and keywords of the demonstration's agent, by shape. */
export const agentShapes = {
  language: {
    primaryLanguage: 'en',
    secondaryLanguage: 'de',
    autoDetect: true,
    translations: {
      ...inLanguages(
        'greeting',
        'Hello. How can I help?',
        'Guten Tag. Wie kann ich helfen?',
        'Hej. Hur kan jag hjälpa till?',
      ),
      ...inLanguages(
        'ask_order',
        'What is your order number?',
        'Wie lautet Ihre Bestellnummer?',
        'Vad är ditt ordernummer?',
      ),
      ...inLanguages('order_found', '{order_id} is {status}.', '{order_id}: {status}.'),
      ...inLanguages('order_late', 'Sorry, {customer_name}. It is late.', 'Es tut uns leid. Sie ist spät.'),
      ...inLanguages(
        'refund_sent',
        'We sent {amount} back to you.',
        'Wir haben {amount} erstattet.',
        'Vi har skickat tillbaka {amount}.',
      ),
      ...inLanguages('refund_refused', 'We cannot refund this order.'),
      ...inLanguages(
        'handover',
        'I am passing you to a person.',
        'Ich verbinde Sie mit einem Menschen.',
        'Jag kopplar dig till en person.',
      ),
      ...inLanguages(
        'closed_now',
        'We open again at {opens_at}.',
        'Wir öffnen um {opens_at} wieder.',
        'Vi öppnar igen {opens_at}.',
      ),
      ...inLanguages('goodbye', 'Goodbye.', 'Auf Wiedersehen.', 'Hej då.'),
      ...inLanguages('sms_footer', 'Reply STOP to unsubscribe.', 'STOP zum Abmelden.'),
      welcome: 'Welcome to Northwind.',
    },
  },
  'conversation-actions': [
    action('callback', 'request_callback', ['name', 'phone', 'time']),
    {
      ...action('refund', 'open_refund', ['order_id', 'reason', 'email', 'photo']),
      form: {
        fields: ['order_id', 'reason', 'email', 'photo'],
        submitUrl: 'http://forms.northwind.example/refund',
      },
    },
    action('invoice', 'send_invoice', ['order_id']),
    action('complaint', 'open_ticket', ['name', 'email', 'text']),
  ],
  'text-responses': [
    { key: 'Order is late', text: 'Sorry {customer_name}, {order_id} is late.' },
    { key: 'Refund opened', text: '{amount} is on its way' },
    { key: 'Out of hours', text: 'We answer from 9 tomorrow' },
  ],
  'sms-keywords': {
    stop: 'You will get no more messages.',
    help: 'Northwind help: reply MENU or call 020 7946 0101.',
    menu: '1 Order, 2 Refund, 3 Talk to us',
  },
}

function inLanguages(name: string, ...texts: readonly string[]): Record<string, string> {
  const codes = ['en', 'de', 'sv']
  return Object.fromEntries(texts.map((text, index) => [`${name}_${codes[index]}`, text]))
}

function action(word: string, name: string, fields: readonly string[]) {
  const submitUrl = `https://forms.northwind.example/${word}`
  return { trigger: `keyword:${word}`, action: name, form: { fields, submitUrl } }
}
