import type { ConversationSummary } from '#shared/model/conversation.ts'

/** Returns the title, or a word for a conversation that has none yet. */
export const titleOf = ({ title }: Pick<ConversationSummary, 'title'>): string =>
  title === '' ? 'Untitled' : title
