import { useState } from 'react'
import type { Conversation } from '#shared/model/conversation.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { client } from '../../client/client.ts'
import { useCommand } from '../../ui/use-command.ts'

/** Returns which tools the open conversation gets, or one that begins with its first message, and how to choose. */
export function useConversationTools(id: string | null, conversation: Conversation | null) {
  const [ofNew, setOfNew] = useState<ToolListing>('all')
  const update = useCommand(client.conversations.update, 'The tools were not changed')
  return {
    /** Undefined until it is known. */
    listing: id === null ? ofNew : conversation?.tools,
    ofNew,
    isChanging: update.isPending,
    choose(tools: ToolListing) {
      if (id === null) setOfNew(tools)
      else update.mutate({ conversationId: id, tools })
    },
  }
}
