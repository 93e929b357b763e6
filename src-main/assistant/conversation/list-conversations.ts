import { idOf, numberOfId } from '#main/lib/sequence.ts'
import type { ConversationStore } from '#main/storage/conversations.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ConversationSummary } from '#shared/model/conversation.ts'
import { readSummary } from './stored-transcript.ts'

const pagePrefix = 'page_'

export type ConversationsQuery = {
  readonly workspaceId?: string | undefined
  readonly text?: string | undefined
  /** `nextBefore` of the previous page. */
  readonly before?: string | undefined
  readonly limit: number
}

export type ConversationPage = {
  readonly conversations: ConversationSummary[]
  /** Null on the last page. */
  readonly nextBefore: string | null
}

/** Returns a page of the list of conversations. @throws ServiceError `invalid_input`. */
export async function listConversations(
  store: Pick<ConversationStore, 'list'>,
  { before, text, ...query }: ConversationsQuery,
): Promise<ConversationPage> {
  const page = await store.list({
    ...query,
    text: text?.toLowerCase(),
    before: before === undefined ? undefined : numberOfPage(before),
  })
  return {
    conversations: page.conversations.map(readSummary),
    nextBefore: page.nextBefore === null ? null : idOf(pagePrefix, page.nextBefore),
  }
}

function numberOfPage(text: string): number {
  const number = numberOfId(pagePrefix, text)
  if (number !== null) return number
  const message = 'This must be the nextBefore of an earlier page.'
  throw new ServiceError('invalid_input', { data: { issues: [{ path: 'before', message }] } })
}
