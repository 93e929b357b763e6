import { useDebouncedValue } from '@mantine/hooks'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight, CircleX, MessageSquare } from 'lucide-react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { api } from '../../client/client.ts'
import { runWord } from '../../entities/run/run-words.ts'
import { StatusIcon } from '../../entities/run/status-icon.tsx'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { formatMinute } from '../../ui/format.ts'
import { titleOf } from '../conversation/conversation-title.ts'
import type { Entries, Entry } from './entry.tsx'

/** Ids that the service is asked for. Those of what is declared are in the entries of these. */
const askedId = /\b(evt|att|call|ref|run|conv)_[\w-]{8,64}/

/** Milliseconds without a key before the service is asked. */
const typingPauseMs = 200

type Content = Pick<Entry, 'group' | 'icon' | 'text' | 'mono' | 'detail' | 'run'>

/**
 * Returns what an id in the query names: an event, a refused request, a call, a run or a conversation.
 *
 * @param names those of the connections, by their ids.
 */
export function useIdEntries(query: string, names: ReadonlyMap<string, string>): Entries {
  const navigate = useNavigate()
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
  const toRun = (runId: string) => void navigate({ to: '/workflows/runs', search: { run: runId } })

  /** Returns a function that shows an item; null if no screen does. */
  function opener(found: ListedOccurrence): (() => void) | null {
    const { connectionId } = found
    const step = found.type === 'call.finished' ? found.step : null
    const to = '/connections/$connectionId/activity'
    if (connectionId !== null)
      return () => void navigate({ to, params: { connectionId }, search: { item: id } })
    if (step !== null) return () => toRun(step.runId)
    // A request to an unknown URL.
    const section = 'listener'
    return found.type === 'event.rejected'
      ? () => void navigate({ to: '/settings/$section', params: { section } })
      : null
  }

  function itemContent(found: ListedOccurrence): Content | null {
    const words = wordsOf(found)
    const open = opener(found)
    if (words === null || open === null) return null
    const { fact, ...content } = words
    const detail = [names.get(found.connectionId ?? ''), fact, formatMinute(found.at)]
    return { ...content, detail: detail.filter(Boolean).join(' · '), run: open }
  }

  const contents: (Content | null)[] = [
    item.data === undefined ? null : itemContent(item.data),
    run.data === undefined
      ? null
      : {
          group: 'Runs',
          icon: <StatusIcon status={run.data.status} />,
          text: workflow?.name ?? run.data.eventName,
          detail: [run.data.eventName, run.data.subject, runWord(run.data)].filter(Boolean).join(' · '),
          run: () => toRun(run.data.runId),
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

type Words = Pick<Entry, 'group' | 'icon' | 'text' | 'mono'> & { readonly fact: string | null }

/** Returns the words of an item; null for one that has no id of its own. */
function wordsOf(item: ListedOccurrence): Words | null {
  switch (item.type) {
    case 'event.accepted':
    case 'event.repeated':
    case 'event.replayed':
      return {
        group: 'Received events',
        icon: <ArrowDownLeft size={16} />,
        text: item.eventName,
        mono: true,
        fact: item.subject,
      }
    case 'event.rejected':
      return {
        group: 'Activity',
        icon: <CircleX size={16} />,
        text: rejectionTitle(item.code, item.diagnosis?.code ?? null),
        fact: 'Rejected',
      }
    case 'call.finished':
      return {
        group: 'Activity',
        icon: <ArrowUpRight size={16} />,
        text: item.toolName,
        mono: true,
        fact: item.status === null ? item.code : String(item.status),
      }
    case 'call.refused':
      return {
        group: 'Activity',
        icon: <CircleX size={16} />,
        text: item.toolName,
        mono: true,
        fact: item.code,
      }
    default:
      return null
  }
}
