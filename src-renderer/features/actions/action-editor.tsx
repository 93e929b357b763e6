import { Button, Tabs } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Action } from '#shared/model/action.ts'
import { api } from '../../client/client.ts'
import { moveArguments } from '../../entities/action/use-typed-arguments.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { Method } from '../../ui/badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { focusIfWanted, wantNext } from '../../ui/focus.ts'
import { formatNumber } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import pane from '../../ui/pane.module.css'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { ActionMenu, EnableSwitch } from './action-menu.tsx'
import classes from './actions.module.css'
import { AssistantPanel } from './assistant-panel.tsx'
import { useCaseEntries } from './cases/case-entries.ts'
import { CasesPanel } from './cases/cases-panel.tsx'
import type { SavingState } from './cases/save-as-case.tsx'
import type { Cases } from './cases/use-cases.ts'
import { DefinitionForm } from './definition/definition-form.tsx'
import { HistoryPanel } from './history/history-panel.tsx'
import type { ActionRow } from './select-actions.ts'
import { TestPanel } from './test/test-panel.tsx'
import { useTestCall } from './test/use-test-call.ts'
import type { ActionCommands } from './use-action-commands.ts'
import { useActionDraft } from './use-action-draft.ts'
import { type Panel, useActionPlace } from './use-action-place.ts'

const panels = optionsOf<Readonly<Record<Panel, string>>>({
  definition: 'Definition',
  test: 'Test',
  cases: 'Cases',
  assistant: 'What the assistant sees',
  history: 'History',
})

type EditorProps = {
  /** Null for a new action, and for one that does not exist. */
  readonly action: ActionRow | null
  readonly all: readonly ActionRow[]
  readonly commands: ActionCommands
  readonly cases: Cases
}

/** Edits and tests an action, and shows what the assistant knows of it. */
export function ActionEditor(props: EditorProps) {
  const { action } = props
  const place = useActionPlace()
  const isGone = action === null && place.actionId !== 'new'
  useShortcut({ keys: 'escape', label: 'Close the editor', group: 'Action' }, place.close, isGone)
  if (isGone)
    return (
      <EmptyState
        title="This action does not exist"
        actions={<Button onClick={place.close}>All actions</Button>}
      >
        It was deleted, or the address is wrong.
      </EmptyState>
    )
  return <Editor {...props} />
}

function Editor({ action, all, commands, cases }: EditorProps) {
  const place = useActionPlace()
  // Not in its panel: a call continues while another panel is open.
  const call = useTestCall(action?.actionId ?? 'new')
  const [shownTest, setShownTest] = useState<string | null>(null)
  const [saving, setSaving] = useState<SavingState>('off')
  const caseEntries = useCaseEntries({
    ...{ action, actions: all, cases },
    onSave: saving === 'off' ? null : () => setSaving('open'),
  })
  const isNarrow = useNarrow()
  const section = useRef<HTMLElement>(null)
  const panel = action === null && place.panel !== 'test' ? 'definition' : place.panel
  const form = useActionDraft(action, {
    ...{ all, newName: place.newName, commands },
    onCreated({ actionId }) {
      wantNext()
      place.goTo(actionId, panel)
    },
    onDiscard: () => place.goTo(null),
    onInvalid: () => place.setPanel('definition'),
  })
  const { draft, isNew } = form
  const title = draft.name.trim() === '' ? 'New action' : draft.name

  // Beside the list the focus stays in the list. In a narrow window the editor is alone.
  useEffect(() => {
    if (isNarrow) section.current?.focus()
  }, [isNarrow])

  // The focused control may have been in the panel that was left.
  useDidUpdate(() => {
    if (document.activeElement === document.body) section.current?.focus()
  }, [panel])

  // Arguments typed for a discarded new action must not appear in the next one.
  useEffect(() => {
    if (isNew) moveArguments('new', null)
  }, [isNew])

  function leave(): void {
    const focused = document.activeElement
    // The first Escape leaves the field, the second the editor.
    if (focused instanceof HTMLElement && focused !== section.current && isField(focused))
      section.current?.focus()
    // A narrow window shows a case alone.
    else if (isNarrow && panel === 'cases' && place.caseId !== null) place.setCase(null)
    else place.close()
  }
  useShortcut({ keys: 'escape', label: 'Close the editor', group: 'Action' }, leave)

  return (
    <section
      ref={section}
      className={classes.editor}
      aria-label={title}
      tabIndex={-1}
      data-editor
      onKeyDown={keepArrows}
      data-narrow={isNarrow || undefined}
    >
      <div className={pane.bar}>
        <Method method={draft.method} />
        <h2 className="h2 cut">{title}</h2>
        <code className={`${classes.mono} t3 cut`}>{draft.toolName}</code>
        <span className="push" />
        <EnableSwitch
          name={action?.name ?? 'the new action'}
          isEnabled={action?.isEnabled ?? draft.isEnabled}
          onChange={isEnabled =>
            action === null ? form.set({ isEnabled }) : commands.setEnabled(action.actionId, isEnabled)
          }
        />
        {action !== null && <ActionMenu action={action} commands={commands} more={caseEntries} />}
        <IconButton icon={X} label="Close editor" onClick={place.close} />
      </div>
      <Tabs
        className={classes.tabs}
        value={panel}
        onChange={next => place.setPanel(panels.find(({ value }) => value === next)?.value ?? 'definition')}
      >
        <Tabs.List>
          {panels.map(({ value, label }) => (
            <Tabs.Tab
              key={value}
              value={value}
              ref={value === 'test' ? focusIfWanted : null}
              disabled={isNew && value !== 'definition' && value !== 'test'}
            >
              {label}
              {value === 'cases' && action !== null && <Count count={cases.of(action.actionId).length} />}
              {value === 'history' && action !== null && <CallCount action={action} />}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      <div className="col fill">
        {panel === 'definition' && <DefinitionForm form={form} action={action} />}
        {panel === 'test' && (
          <TestPanel
            action={action}
            form={form}
            call={call}
            shownTest={shownTest}
            onShowTest={setShownTest}
            cases={cases}
            saving={saving}
            onSaving={setSaving}
          />
        )}
        {panel === 'cases' && action !== null && <CasesPanel action={action} actions={all} cases={cases} />}
        {panel === 'assistant' && action !== null && (
          <AssistantPanel action={action} commands={commands} form={form} fresh={call.fresh} />
        )}
        {panel === 'history' && action !== null && (
          <HistoryPanel
            action={action}
            onOpen={callId => {
              setShownTest(callId)
              place.setPanel('test')
            }}
          />
        )}
      </div>
      {form.saveBar}
    </section>
  )
}

function CallCount({ action }: { readonly action: Action }) {
  const { connectionId } = useCurrentConnection()
  const { data } = useQuery(
    api.activity.counts.queryOptions({
      input: { connectionId, actionId: action.actionId, kinds: 'call.finished' },
    }),
  )
  return <Count count={data?.total ?? 0} />
}

/** A figure beside the name of a panel; nothing for none, or while it is not known. */
function Count({ count }: { readonly count: number }) {
  return count === 0 ? null : <span className={`${classes.count} xs t3 num`}>{formatNumber(count)}</span>
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || element.matches('input, textarea, select')
}

/** Keeps arrow keys from selecting another action, unless the editor itself has the focus. */
function keepArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget && /^Arrow(Up|Down)$/.test(event.key)) event.stopPropagation()
}
