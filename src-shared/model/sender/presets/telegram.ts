import type { SchemeKind } from '../scheme-kind.ts'

/** https://core.telegram.org/bots/api#setwebhook */
export const telegram = {
  title: 'Telegram',
  about: 'x-telegram-bot-api-secret-token',
  secret: 'Choose one, and give it as secret_token of setWebhook: Telegram does not sign.',
  hasOwnSecret: true,
  uncovered: 'Nothing of the request: anyone who knows the URL and the token can send any event.',
  templates: [
    {
      verify: 'token',
      signatureHeader: 'x-telegram-bot-api-secret-token',
      id: { path: 'update_id' },
      eventName: {
        present: [
          ...['message', 'edited_message', 'channel_post', 'edited_channel_post'],
          ...['business_connection', 'business_message', 'edited_business_message'],
          ...['deleted_business_messages', 'message_reaction', 'message_reaction_count'],
          ...['inline_query', 'chosen_inline_result', 'callback_query', 'shipping_query'],
          ...['pre_checkout_query', 'purchased_paid_media', 'poll', 'poll_answer'],
          ...['my_chat_member', 'chat_member', 'chat_join_request', 'chat_boost'],
          'removed_chat_boost',
        ],
      },
    },
  ],
} satisfies SchemeKind
