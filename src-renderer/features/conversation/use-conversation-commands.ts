import type { ConversationAgent } from '#shared/model/conversation.ts'
import type { ToolListing } from '#shared/model/tool.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { downloadText } from '../../ui/download.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useConversationPlace } from './use-conversation-place.ts'

type Sent = { readonly text: string; readonly replaces?: string | undefined }

/**
 * Returns what can be done in a conversation.
 *
 * @param id null for one that begins with its first message. @param begun its agent, undefined for the default one, and
 *   its tools then.
 */
export function useConversationCommands(
  id: string | null,
  begun: { readonly agent: ConversationAgent | null | undefined; readonly tools: ToolListing },
) {
  const place = useConversationPlace()
  const { workspace } = useWorkspace()

  const send = useCommand(async ({ text, replaces }: Sent) => {
    const conversationId =
      id ??
      (await client.conversations.create({ workspaceId: workspace?.workspaceId, ...begun })).conversationId
    if (id === null) place.open(conversationId, true)
    return client.conversations.send({ conversationId, text, replaces })
  }, 'The message was not sent')
  const stop = useCommand(client.conversations.stop, 'The answer was not stopped')
  const retry = useCommand(client.conversations.retry, 'The message was not answered again')
  const continueAnswer = useCommand(client.conversations.continue, 'The answer was not continued')
  return {
    send: (message: Sent) => send.mutateAsync(message),
    isSending: send.isPending,
    stop: () => id !== null && stop.mutate({ conversationId: id }),
    isStopping: stop.isPending,
    retry: () => id !== null && !retry.isPending && retry.mutate({ conversationId: id }),
    continue: () => id !== null && !continueAnswer.isPending && continueAnswer.mutate({ conversationId: id }),
    isRetrying: retry.isPending || continueAnswer.isPending,
  }
}

export function copyConversation(conversationId: string): void {
  const markdown = client.conversations
    .export({ conversationId, format: 'markdown' })
    .then(({ text }) => text)
  void copyWithToast(markdown, 'Conversation', 'As Markdown')
}

export async function exportConversation(conversationId: string, format: 'markdown' | 'json'): Promise<void> {
  try {
    const { fileName, text } = await client.conversations.export({ conversationId, format })
    downloadText(fileName, text, format === 'json' ? 'application/json' : 'text/markdown')
  } catch (error) {
    toastProblem('The conversation was not exported', error)
  }
}

/** Returns a mutation that deletes a conversation and leaves it. */
export function useDeleteConversation() {
  const place = useConversationPlace()
  return useCommand(
    client.conversations.remove,
    'The conversation was not deleted',
    (_deleted, { conversationId }) => {
      if (place.conversationId === conversationId) place.open(null, true)
      toastDone('Conversation deleted')
      return queries.invalidateQueries({ queryKey: api.conversations.list.key() })
    },
  )
}
