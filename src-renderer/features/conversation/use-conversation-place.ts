import { useNavigate, useParams } from '@tanstack/react-router'
import { useSearchState } from '../../ui/search-state.ts'

const to = '/assistant/conversation/{-$conversationId}'

/** Returns the open conversation and the search from the address, and functions that change them. */
export function useConversationPlace() {
  const navigate = useNavigate()
  const { conversationId } = useParams({ from: to })
  const [{ text = '', setup = false, pane = 'conversation' }, change] = useSearchState(to)
  return {
    /** Null for a conversation that begins with its first message. */
    conversationId: conversationId ?? null,
    text,
    /** Whether a model is being chosen. */
    isSettingUp: setup,
    /** The pane that a narrow window shows. */
    pane,
    open: (id: string | null, replace = false) =>
      void navigate({
        to,
        params: { conversationId: id ?? undefined },
        search: { text },
        replace,
      }),
    show: (next: 'list' | 'model' | undefined) => change({ pane: next }, { replace: false }),
    setText: (next: string) => change({ text: next }),
    setUp: () => void navigate({ to, params: { conversationId }, search: { setup: true } }),
    endSetup: () => void navigate({ to, params: { conversationId }, search: {}, replace: true }),
  }
}
