import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChartGantt, MessageSquare } from 'lucide-react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { runLabel } from '../../entities/run/run-labels.ts'
import { StatusIcon } from '../../entities/run/status-icon.tsx'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { titleOf } from '../conversation/conversation-title.ts'
import type { Entries } from './entry.tsx'
import { type Content, useItemContent } from './item-content.tsx'

/** Ids that the service is asked for. Those of what is declared are in the entries of these. */
const askedId = /\b(evt|att|call|ref|run|conv)_[\w-]{8,64}/

/** Milliseconds without a key before the service is asked. */
const typingPauseMs = 200

/**
 * Returns what an id in the query names: an event, a refused request, a call, a run or a conversation.
 *
 * @param names those of the connections, by their ids.
 */
export function useIdEntries(query: string, names: ReadonlyMap<string, string>): Entries {
  const navigate = useNavigate()
  const contentOf = useItemContent(names)
  const typed = askedId.exec(query)
  const [id] = useDebouncedValue(typed?.[0], typingPauseMs)
  const kind = id?.slice(0, id.indexOf('_'))
  const isItem = id !== undefined && kind !== 'run' && kind !== 'conv'
  const item = useQuery(api.activity.get.queryOptions({ input: isItem ? { itemId: id } : skipToken }))
  const run = useQuery(
    api.runs.get.queryOptions({ input: id !== undefined && kind === 'run' ? { runId: id } : skipToken }),
  )
  const conversation = useQuery(
    api.conversations.get.queryOptions({
      input: id !== undefined && kind === 'conv' ? { conversationId: id } : skipToken,
    }),
  )
  const { data: workflows = [] } = useWorkflows()
  const workflow = workflows.find(({ workflowId }) => workflowId === run.data?.workflowId)

  const contents: (Content | null)[] = [
    item.data === undefined ? null : contentOf(item.data),
    run.data === undefined
      ? null
      : {
          group: 'Runs',
          icon: <StatusIcon status={run.data.status} />,
          text: workflow?.name ?? run.data.eventName,
          detail: [run.data.eventName, run.data.subject, runLabel(run.data)].filter(Boolean).join(' · '),
          run: () => void navigate({ to: '/workflows/runs', search: { run: run.data.runId } }),
        },
    !hasStory(item.data) && run.data === undefined
      ? null
      : {
          group: 'Stories',
          icon: <ChartGantt size={16} />,
          text: 'Show the story',
          detail: 'From the request to the calls',
          run: () => void navigate({ to: '/story/$id', params: { id: id ?? '' } }),
        },
    conversation.data === undefined
      ? null
      : {
          group: 'Conversations',
          icon: <MessageSquare size={16} />,
          text: titleOf(conversation.data),
          run: () =>
            void navigate({
              to: '/assistant/conversation/{-$conversationId}',
              params: { conversationId: conversation.data.conversationId },
            }),
        },
  ]
  return {
    // The service found the id, so the entry has to match what is typed.
    entries: contents.filter(content => content !== null).map(content => ({ ...content, also: query })),
    isSearching: typed?.[0] !== id || item.isFetching || run.isFetching || conversation.isFetching,
  }
}

/** Returns whether an item is a request, or what one has led to. */
function hasStory(item: ListedOccurrence | undefined): boolean {
  if (item === undefined) return false
  return item.type.startsWith('event.') || (item.type === 'call.finished' && item.step !== null)
}
