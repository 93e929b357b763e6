import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { Conversation, ConversationStatus } from '#shared/model/conversation.ts'
import { useConnectionFigures } from '../../entities/connection/use-connections.ts'
import { formatNumber } from '../../ui/format.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'
import { formWithEscape } from './message-log.tsx'
import { ModelPane } from './model-pane.tsx'
import { LookedFor, ModelSetup, setupHints } from './model-setup.tsx'
import { useConversation } from './use-conversation.ts'
import { useConversationAgent } from './use-conversation-agent.ts'
import { useConversationPlace } from './use-conversation-place.ts'
import { useConversationTools } from './use-conversation-tools.ts'
import { useConversations } from './use-conversations.ts'
import { useAssistantModel } from './use-models.ts'
import { useTools } from './use-tools.ts'

const group = 'Conversation'

/** Conversations with a model that calls the workspace's actions. Without a model: the choice of one. */
export function ConversationPage() {
  useTitle('Conversation')
  const place = useConversationPlace()
  const navigate = useNavigate()
  const chosen = useAssistantModel()
  const model = chosen.data
  const tools = useTools()
  const toolCount = useConnectionFigures()?.tools
  const query = useConversations(place.text)
  const followed = useConversation(place.conversationId)
  const field = useRef<HTMLTextAreaElement>(null)
  const { conversation } = followed
  const agent = useConversationAgent(place.conversationId, conversation)
  const listing = useConversationTools(place.conversationId, conversation)
  // A conversation can be read without a model.
  const isSettingUp = place.isSettingUp || (model === null && place.conversationId === null)

  const isBeginning = useRef(false)
  function begin(): void {
    isBeginning.current = true
    place.open(null)
    field.current?.focus()
  }
  // The field may only be there once the conversation is shown.
  useEffect(() => {
    if (!isBeginning.current || field.current === null) return
    isBeginning.current = false
    field.current.focus()
  })
  useShortcut({ keys: 'n', label: 'New conversation', group }, begin)
  const back = { label: 'Back to the conversation', group, go: () => place.show(undefined) }
  const listPane = {
    id: 'list',
    size: 208,
    min: 168,
    content: <ConversationList query={query} onNew={begin} />,
  }
  return (
    <>
      <Top
        crumbs={[
          <Link key="assistant" to="/assistant">
            Assistant
          </Link>,
        ]}
        title="Conversation"
        actions={
          <Button leftSection={<Plug />} onClick={() => void navigate({ to: '/assistant' })}>
            Connect a client
          </Button>
        }
      />
      <Body scrolls={false}>
        {model === undefined ? (
          <QueryState query={chosen} failed="The conversations cannot be shown" />
        ) : isSettingUp ? (
          <MasterDetail
            name="conversation"
            lead={place.pane === 'list' ? 'list' : 'setup'}
            home="setup"
            back={back}
            panes={[
              listPane,
              {
                id: 'setup',
                content: <ModelSetup tools={toolCount} onDone={place.endSetup} canLeave={model !== null} />,
              },
            ]}
          />
        ) : (
          <MasterDetail
            name="conversation"
            lead={place.pane}
            home="conversation"
            back={back}
            panes={[
              listPane,
              {
                id: 'conversation',
                content: (
                  <ConversationView
                    followed={followed}
                    model={model}
                    newAgent={agent.ofNew}
                    newListing={listing.ofNew}
                    tools={toolCount}
                    field={field}
                  />
                ),
              },
              ...(model === null
                ? []
                : [
                    {
                      id: 'model',
                      size: 268,
                      min: 220,
                      content: (
                        <ModelPane
                          model={model}
                          context={conversation?.context ?? null}
                          agent={agent.agent}
                          agentUse={conversation?.agentUse ?? null}
                          isAgentChanging={agent.isChanging}
                          onAgentChange={agent.choose}
                          tools={tools}
                          toolCount={toolCount}
                          listing={listing.listing}
                          isListingChanging={listing.isChanging}
                          onListingChange={listing.choose}
                          always={conversation?.always ?? []}
                          onSetUp={place.setUp}
                        />
                      ),
                    },
                  ]),
            ]}
          />
        )}
      </Body>
      <Foot hints={isSettingUp ? setupHints : hintsOf(conversation)}>
        {isSettingUp ? <LookedFor /> : model != null && <Speed model={model} conversation={conversation} />}
      </Foot>
    </>
  )
}

/** Returns the keys that do something now: without a message there is none to edit, and no call to open. */
function hintsOf(conversation: Conversation | null): Hints {
  if (conversation === null || conversation.messages.length === 0) return { enter: 'send' }
  const first: Readonly<Record<ConversationStatus, Hints>> = {
    asking: { 'mod+enter': 'call once', escape: 'decline' },
    answering: { escape: 'stop' },
    idle: { arrowup: 'edit the last message' },
    failed: { arrowup: 'edit the last message' },
  }
  const form = formWithEscape(conversation)
  return {
    ...first[conversation.status],
    ...(form !== null && { escape: 'dismiss the form' }),
    n: 'new conversation',
    o: 'open or close a call',
  }
}

/** Shows the model, and how fast it wrote its last answer. */
function Speed(props: { readonly model: AssistantModel; readonly conversation: Conversation | null }) {
  const { model, conversation } = props
  const last = conversation?.messages.findLast(({ usage, tookMs }) => usage !== null && tookMs !== null)
  const { usage = null, tookMs = null } = last ?? {}
  const rate = usage === null || tookMs === null || tookMs === 0 ? null : (1000 * usage.outputTokens) / tookMs
  return (
    <span className="num">
      {model.model}
      {rate !== null && ` · ${formatNumber(Math.max(1, Math.round(rate)))} tokens a second`}
    </span>
  )
}
