import { Button } from '@mantine/core'
import { Copy, Plus, Terminal } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { differenceText } from '#shared/cases/words.ts'
import type { Action } from '#shared/model/action.ts'
import type { Case } from '#shared/model/case.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { quote } from '../../../entities/snippet/quote.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { formatMs } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useRowKeys } from '../../../ui/keyboard-list.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import pane from '../../../ui/pane.module.css'
import { QueryState } from '../../../ui/query-state.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { VirtualList, type VirtualListHandle } from '../../../ui/virtual-list.tsx'
import type { ActionRow } from '../select-actions.ts'
import { useActionPlace } from '../use-action-place.ts'
import { CaseDetail } from './case-detail.tsx'
import { CaseMark } from './case-mark.tsx'
import { isCaseNewer } from './case-rows.ts'
import { runCases, useProgress } from './case-runs.ts'
import classes from './cases.module.css'
import { inWords } from './cases-bar.tsx'
import { confirmChanges } from './confirm-changes.tsx'
import { EditCase } from './edit-case.tsx'
import { useCaseCommands } from './use-case-commands.ts'
import { type Cases, countCases, stateOf } from './use-cases.ts'

const group = 'Cases'
const keyOf = ({ caseId }: Case) => caseId

/** The editor of the action, when no case is left. */
const editor = () => document.querySelector<HTMLElement>('section[data-editor]')

/** The cases of an action with their newest results, and one of them. */
export function CasesPanel(props: {
  readonly action: Action
  /** All actions of the connection, for the next failure. */
  readonly actions: readonly ActionRow[]
  readonly cases: Cases
}) {
  const { action, actions, cases } = props
  const { actionId, method, toolName } = action
  const connection = useCurrentConnection()
  const { connectionId } = connection
  const place = useActionPlace()
  const isNarrow = useNarrow()
  const progress = useProgress(connectionId)
  const list = useRef<VirtualListHandle>(null)
  const commands = useCaseCommands(connectionId, place.setCase)
  const own = cases.of(actionId)
  const named = own.find(({ caseId }) => caseId === place.caseId)
  // A narrow window shows the list first.
  const selected = named ?? (isNarrow ? undefined : (own.find(one => stateOf(one) === 'failed') ?? own[0]))
  const at = selected === undefined ? -1 : own.indexOf(selected)
  useFocusAfterRemoval(own.length, () => (list.current === null ? editor()?.focus() : list.current.focus()))
  // The next failure may be of another action, whose editor takes the place of this one.
  useEffect(() => {
    if (document.activeElement === document.body) list.current?.focus()
  }, [])

  const isBusy = progress !== null
  const run = () => {
    if (selected !== undefined && !isBusy)
      confirmChanges(
        connection,
        [{ ...selected, method, toolName }],
        chosen => void runCases(connectionId, chosen),
      )
  }
  function goToFailure(): void {
    const all = actions.flatMap(one => cases.of(one.actionId))
    const from = all.findIndex(({ caseId }) => caseId === selected?.caseId)
    const inTurn = [...all.slice(from + 1), ...all.slice(0, from + 1)]
    const next = inTurn.find(one => stateOf(one) === 'failed')
    if (next === undefined) return
    if (next.actionId === actionId) place.setCase(next.caseId)
    else place.openCase(next.actionId, next.caseId)
  }
  useRowKeys({ group, noun: 'case', count: own.length, at }, row => {
    const next = own[row]
    if (next !== undefined) place.setCase(next.caseId)
    if (!isNarrow) list.current?.focus()
  })
  const [edited, setEdited] = useState<Case | 'new' | null>(null)
  const edit = () => selected !== undefined && setEdited(selected)
  useShortcut({ keys: 'n', label: 'New case', group }, () => setEdited('new'))
  useShortcut({ keys: 'e', label: 'Edit the case', group }, edit, selected !== undefined)
  useShortcut({ keys: 'mod+enter', label: 'Run the case', group }, run, selected !== undefined)
  useShortcut({ keys: 'f8', label: 'Next case that does not pass', group }, goToFailure)

  if (!cases.isKnown) return <QueryState query={cases.query} failed="The cases could not be read" />
  const newCase = (
    <KeyButton icon={Plus} keys="n" onClick={() => setEdited('new')}>
      New
    </KeyButton>
  )
  const form = edited !== null && (
    <EditCase
      action={action}
      edited={edited === 'new' ? null : edited}
      cases={own}
      onSaved={place.setCase}
      onClose={() => setEdited(null)}
    />
  )
  if (own.length === 0)
    return (
      <>
        <EmptyState
          title="No cases yet"
          actions={
            <>
              <Button onClick={() => place.setPanel('test')}>Go to Test</Button>
              {newCase}
            </>
          }
        >
          Save a test as one.
        </EmptyState>
        {form}
      </>
    )
  return (
    <div className="col fill">
      {form}
      <MasterDetail
        name="cases"
        lead={isNarrow && selected !== undefined ? 'detail' : 'list'}
        home="list"
        back={{ label: 'Back to the cases', group, go: () => place.setCase(null) }}
        panes={[
          {
            id: 'list',
            size: 248,
            min: 200,
            content: (
              <div className={pane.pane}>
                <div className={pane.bar}>
                  <span className="sm t2 num grow cut" role="status">
                    {inWords(countCases(own))}
                  </span>
                  {newCase}
                </div>
                <div className="fill">
                  <VirtualList
                    ref={list}
                    label={`Cases of ${action.name}`}
                    items={own}
                    rowHeight={55}
                    getKey={keyOf}
                    selectedKey={selected?.caseId ?? null}
                    onSelect={({ caseId }) => place.setCase(caseId)}
                    renderRow={one => <Row one={one} isRunning={progress?.caseId === one.caseId} />}
                  />
                </div>
                <p className={`sm t3 ${classes.hint}`}>
                  A test becomes a case with “Save as case” beside its answer: arguments, status and the
                  fields you mapped.
                </p>
              </div>
            ),
          },
          {
            id: 'detail',
            content: selected !== undefined && (
              <CaseDetail
                key={selected.caseId}
                one={selected}
                commands={commands}
                isRunning={progress?.caseId === selected.caseId}
                onEdit={edit}
                onRun={run}
              />
            ),
          },
        ]}
      />
      <Command name={connection.name} toolName={toolName} />
    </div>
  )
}

function Row({ one, isRunning }: { readonly one: Case; readonly isRunning: boolean }) {
  return (
    <div className={classes.row}>
      <CaseMark state={isRunning ? 'running' : stateOf(one)} />
      <span className="col">
        <span className="w5 cut">{one.name}</span>
        <span className="sm t2 cut" title={resultText(one)}>
          {resultText(one)}
        </span>
      </span>
    </div>
  )
}

/** Returns the newest result of a case in one line. */
function resultText(one: Case): string {
  const { last } = one
  if (last === null) return 'not run yet'
  if (last.isOld) return `Old: the ${isCaseNewer(one) ? 'case' : 'action'} has changed since`
  if (last.difference !== null) return differenceText(last.difference)
  return last.ok ? `${last.status} · ${formatMs(last.totalMs)}` : (last.error?.code ?? '')
}

/** The command that runs the cases of the action in a shell. */
function Command({ name, toolName }: { readonly name: string; readonly toolName: string }) {
  const isPlain = /^[\p{L}\p{N} ._,:@+()-]+$/u.test(name)
  const text = `custom-connection test ${isPlain ? `"${name}"` : quote.curl(name)} --tool ${toolName}`
  return (
    <div className={classes.command}>
      <Terminal />
      <code className="grow cut" title={text}>
        {text}
      </code>
      <IconButton
        icon={Copy}
        size="xs"
        label="Copy the command"
        onClick={() => void copyWithToast(text, 'Command')}
      />
    </div>
  )
}
