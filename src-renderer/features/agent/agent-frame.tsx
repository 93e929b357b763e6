import { Button, Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeft, Check, ChevronsUpDown, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type AgentPagePath, agentPages } from '../../agent-pages.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, type Hints, Top, useTitle } from '../../ui/page.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { AgentMenu } from './agent-menu.tsx'
import classes from './agent-page.module.css'
import { NewAgentDialog } from './new-agent-dialog.tsx'
import { type Scope, useAgent, useAgentIds } from './use-agent.ts'

/** The pane on the right, which a narrow window hides behind a button with its name. */
export type SidePane = {
  readonly name: 'Preview' | 'Try' | 'Slots'
  /** Its first width in pixels. */
  readonly size: number
  readonly content: ReactNode
}

/** The frame around every page of Agent: its bar with the agent, the panes, and the foot. */
export function AgentFrame(props: {
  readonly path: AgentPagePath
  readonly actions?: ReactNode
  /** Actions of the form: not shown while a narrow window shows the pane. */
  readonly formActions?: ReactNode
  readonly pane?: SidePane | undefined
  readonly hints: Hints
  /** The summary in the foot. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}) {
  const { path, actions, formActions, pane, hints, foot, children } = props
  const navigate = useNavigate()
  const isNarrow = useNarrow()
  const [isPaneShown, setIsPaneShown] = useState(false)
  const { scope } = useAgent()
  const at = agentPages.findIndex(page => page.path === path)
  const title = agentPages[at]?.title ?? 'Agent'
  useTitle(`${title} · Agent`)

  const step = (by: number) => {
    const next = agentPages.at((at + by) % agentPages.length)
    if (next !== undefined) void navigate({ to: next.path })
  }
  const severalPages = agentPages.length > 1
  useShortcut({ keys: '[', label: 'Previous page', group: 'Agent' }, () => step(-1), severalPages)
  useShortcut({ keys: ']', label: 'Next page', group: 'Agent' }, () => step(1), severalPages)
  const showsPaneAlone = isNarrow && pane !== undefined && isPaneShown
  return (
    <>
      <Top
        crumbs={[<AgentCrumb key="agent" scope={scope} />]}
        title={isNarrow ? <PageSwitch at={path} title={title} /> : title}
        actions={
          <>
            {isNarrow && pane !== undefined && (
              <Button
                leftSection={isPaneShown ? <ArrowLeft /> : undefined}
                onClick={() => setIsPaneShown(!isPaneShown)}
              >
                {isPaneShown ? 'Back' : pane.name}
              </Button>
            )}
            {actions}
            {!showsPaneAlone && formActions}
            {scope !== null && <AgentMenu scope={scope} />}
          </>
        }
      />
      <Body scrolls={false}>
        {pane === undefined ? (
          children
        ) : (
          <MasterDetail
            name={`agent:${path}`}
            lead={showsPaneAlone ? 'side' : 'main'}
            back={{ label: 'Back to the form', group: 'Agent', go: () => setIsPaneShown(false) }}
            panes={[
              { id: 'main', content: children },
              { id: 'side', size: pane.size, min: 280, content: pane.content },
            ]}
          />
        )}
      </Body>
      <Foot hints={{ ...hints, ...(severalPages && { '[ ]': 'previous, next page' }) }}>{foot}</Foot>
    </>
  )
}

/** A menu of the pages, for a window that is too narrow for a sidebar with their names. */
function PageSwitch({ at, title }: { readonly at: AgentPagePath; readonly title: string }) {
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.pageSwitch} aria-label={`${title}. Switch page`}>
          {title}
          <ChevronsUpDown />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {agentPages.map(page => (
          <Menu.Item
            key={page.path}
            data-autofocus={page.path === at || undefined}
            onClick={() => void navigate({ to: page.path })}
            rightSection={page.path === at ? <Check aria-label="Open now" /> : undefined}
          >
            {page.title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** “Agent”, or a menu that opens another agent if there are several. */
function AgentCrumb({ scope }: { readonly scope: Scope | null }) {
  return scope === null ? <span>Agent</span> : <AgentSwitch scope={scope} />
}

function AgentSwitch({ scope }: { readonly scope: Scope }) {
  const ids = useAgentIds(scope)
  const { open } = useAgent()
  const [isNaming, setIsNaming] = useState(false)
  if (ids.length === 1) return <span>Agent</span>
  return (
    <>
      <Menu position="bottom-start" width={240}>
        <Menu.Target>
          <UnstyledButton
            className={classes.switch}
            aria-label={`Agent ${scope.agentId}. Switch`}
            // A narrow window also names the agent.
            data-stays
          >
            <span className={classes.switchLabel}>Agent</span>{' '}
            <span className="mono cut">{scope.agentId}</span>
            <ChevronsUpDown />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          {ids.map(id => (
            <Menu.Item
              key={id}
              data-autofocus={id === scope.agentId || undefined}
              onClick={() => open(id)}
              rightSection={id === scope.agentId ? <Check aria-label="Open now" /> : undefined}
            >
              <span className="mono">{id}</span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Plus />} onClick={() => setIsNaming(true)}>
            New agent
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isNaming && <NewAgentDialog onClose={() => setIsNaming(false)} />}
    </>
  )
}
