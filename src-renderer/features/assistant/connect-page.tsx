import { Button } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { List, MessageSquare } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { CreatedClientToken } from '#shared/model/assistant.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import classes from './assistant.module.css'
import { CallLog } from './call-log.tsx'
import { clientsLabel } from './client-labels.ts'
import { ConfigurationCard } from './configuration-card.tsx'
import { FirstCall } from './first-call.tsx'
import { HeldCalls } from './held-calls.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { TokenList } from './token-list.tsx'
import { ToolList } from './tool-list.tsx'
import { useMcpClients } from './use-assistant.ts'
import { useClientTokens } from './use-client-tokens.ts'
import { useConfiguration } from './use-configuration.ts'

/** Connects MCP clients: their configuration, tokens and calls, and the tools that they see. */
export function ConnectPage() {
  useTitle('Connect')
  const navigate = useNavigate()
  const [connectionId, setConnectionId] = useState<string | null>(null)
  /** The token made here, until the page is left. */
  const [created, setCreated] = useState<CreatedClientToken | null>(null)
  /** The token whose permissions are shown; null for the first one. */
  const [tokenId, setTokenId] = useState<string | null>(null)
  /** The suggested name of the token to make; null while its dialog is closed. */
  const [naming, setNaming] = useState<string | null>(null)
  const isAsked = useSearch({ from: '/assistant' }).token === 'new'
  const [pane, setPane] = useState<'main' | 'tools'>('main')
  const isNarrow = useNarrow()
  const list = useRef<VirtualListHandle>(null)
  const input = useRef<HTMLInputElement>(null)
  function findTools() {
    flushSync(() => setPane('tools'))
    input.current?.focus()
  }
  useShortcut(
    { keys: '/', label: 'Filter the tools', group: 'Connect' },
    findTools,
    isNarrow && pane === 'main',
  )
  const clients = useMcpClients().data
  const tokens = useClientTokens().data
  const shownToken = tokens?.find(token => token.tokenId === tokenId) ?? tokens?.[0] ?? null
  const chosen = useConfiguration(connectionId, created?.token ?? null)
  function showToken(tokenId: string) {
    setTokenId(tokenId)
    setPane('tools')
  }
  return (
    <>
      <Top
        crumbs={[<span key="assistant">Assistant</span>]}
        title="Connect"
        actions={
          <>
            {isNarrow && pane === 'main' && (
              <Button leftSection={<List />} onClick={() => setPane('tools')}>
                Tools
              </Button>
            )}
            {isNarrow && pane === 'tools' && <Button onClick={() => setPane('main')}>Back</Button>}
            <Button
              leftSection={<MessageSquare />}
              onClick={() =>
                void navigate({
                  to: '/assistant/conversation/{-$conversationId}',
                  params: { conversationId: undefined },
                })
              }
            >
              Open conversation
            </Button>
          </>
        }
      />
      <Body scrolls={false}>
        <MasterDetail
          name="assistant"
          lead={pane}
          back={{ label: 'Back to the configuration', group: 'Connect', go: () => setPane('main') }}
          panes={[
            {
              id: 'main',
              content: (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
                <section className={classes.main} tabIndex={0} aria-label="Connect an assistant">
                  <div className={classes.intro}>
                    <h2>Connect an assistant</h2>
                    <p className="t2">
                      Any MCP client can call your enabled actions as tools, after three steps.
                    </p>
                  </div>
                  <HeldCalls />
                  <TokenList
                    onNew={() => setNaming(chosen.client === 'other' ? '' : chosen.label)}
                    chosenId={shownToken?.tokenId ?? null}
                    onChoose={showToken}
                  />
                  <ConfigurationCard
                    connectionId={connectionId}
                    onConnection={setConnectionId}
                    chosen={chosen}
                    hasToken={created !== null}
                  />
                  <FirstCall connectionId={connectionId} token={created} access={chosen.http} />
                  <CallLog />
                </section>
              ),
            },
            {
              id: 'tools',
              size: 408,
              min: 300,
              content: (
                <ToolList
                  connectionId={connectionId}
                  tokens={tokens ?? []}
                  token={shownToken}
                  onToken={setTokenId}
                  list={list}
                  input={input}
                />
              ),
            },
          ]}
        />
      </Body>
      <Foot hints={hints}>
        {clients !== undefined && (
          <span className="num">{clientsLabel(clients)} · MCP 2026-07-28 and earlier</span>
        )}
      </Foot>
      {(naming !== null || isAsked) && (
        <NewTokenDialog
          name={naming ?? ''}
          connectionId={connectionId}
          onCreated={token => {
            setCreated(token)
            setTokenId(token.tokenId)
          }}
          onClose={() => {
            setNaming(null)
            if (isAsked) void navigate({ to: '/assistant', replace: true })
          }}
        />
      )}
    </>
  )
}

const hints: Hints = { c: 'copy configuration', '/': 'filter tools', y: 'copy tool name' }
