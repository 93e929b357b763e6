import { SegmentedControl } from '@mantine/core'
import { Download, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { LastTest } from '#shared/model/call.ts'
import type { Case } from '#shared/model/case.ts'
import { Counted, Method, RelativeTime, StatusCode, Unknown } from '../../ui/badges.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { KeyButton } from '../../ui/keys.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { ActionMenu, AttentionMark, EnableSwitch } from './action-menu.tsx'
import classes from './actions.module.css'
import { CaseCount } from './cases/cases-bar.tsx'
import type { Cases } from './cases/use-cases.ts'
import { type ActionRow, isShown, type Show, selectActions, shows } from './select-actions.ts'
import type { ActionCommands } from './use-action-commands.ts'
import { useActionPlace } from './use-action-place.ts'

const group = 'Actions'
const labels: Readonly<Record<Show, string>> = {
  all: 'All',
  enabled: 'Enabled',
  attention: 'Needs attention',
}
const keyOf = ({ actionId }: ActionRow) => actionId

/** All actions of a connection, shown while none is open. */
export function ActionsTable(props: {
  readonly rows: readonly ActionRow[]
  readonly cases: Cases
  readonly lastTests: ReadonlyMap<string, LastTest> | null
  readonly commands: ActionCommands
  readonly onImport: () => void
}) {
  const { rows, cases, lastTests, commands, onImport } = props
  const place = useActionPlace()
  const list = useRef<VirtualListHandle>(null)
  useFocusAfterRemoval(rows.length, () => list.current?.focus())
  const [show, setShow] = useState<Show>('all')
  const [chosen, setChosen] = useState<string | null>(null)

  const shown = selectActions(rows, place.filter, show)
  const at = shown.findIndex(({ actionId }) => actionId === chosen)
  useRowKeys({ group, noun: 'action', count: shown.length, at }, row => {
    setChosen(shown[row]?.actionId ?? null)
    list.current?.focus()
  })
  const selected = shown[at]
  const some = selected !== undefined
  const remove = () => selected && void commands.remove(selected)
  const openTest = () => selected && place.open(selected.actionId, 'test')
  const toggle = () => selected && commands.toggle(selected)
  useShortcut({ keys: 'mod+enter', label: 'Open the test', group }, openTest, some)
  useShortcut({ keys: 'e', label: 'Enable or disable', group }, toggle, some)
  useShortcut({ keys: 'backspace', label: 'Delete', group }, remove, some)
  useShortcut({ keys: 'delete', label: 'Delete', group }, remove, some)

  return (
    <>
      <div className={classes.bar}>
        <SearchField
          className={classes.filter}
          value={place.filter}
          onChange={place.setFilter}
          label="Filter actions"
          placeholder="Filter by name, tool or path"
          does="Filter the actions"
          group="Actions"
          list={list}
        />
        <SegmentedControl
          aria-label="Show"
          value={show}
          onChange={setShow}
          data={shows.map(value => ({
            value,
            label: <Counted label={labels[value]} count={rows.filter(row => isShown(row, value)).length} />,
          }))}
        />
        <span className="push" />
        <KeyButton icon={Download} keys="i" onClick={onImport}>
          Import
        </KeyButton>
        <KeyButton variant="filled" icon={Plus} keys="n" onClick={place.openNew}>
          New action
        </KeyButton>
      </div>
      <div className={`${classes.columns} ${classes.head}`} aria-hidden="true">
        <span>Method</span>
        <span>Name</span>
        <span className={classes.toolName}>Tool name</span>
        <span>Path</span>
        <span>Last test</span>
        <span />
      </div>
      <div className="fill">
        {shown.length === 0 ? (
          <p className={`${classes.none} sm t2`} role="status">
            No action matches. Change the filter, or show all.
          </p>
        ) : (
          <VirtualList
            ref={list}
            label="Actions"
            hasControls
            items={shown}
            rowHeight={42}
            getKey={keyOf}
            selectedKey={selected?.actionId ?? null}
            onSelect={({ actionId }) => setChosen(actionId)}
            onActivate={({ actionId }) => place.open(actionId, 'definition')}
            renderRow={(row, isSelected) => (
              <Row
                row={row}
                isSelected={isSelected}
                cases={cases.of(row.actionId)}
                lastTest={lastTests === null ? undefined : (lastTests.get(row.actionId) ?? null)}
                commands={commands}
                onOpen={panel => place.open(row.actionId, panel)}
              />
            )}
          />
        )}
      </div>
    </>
  )
}

function Row(props: {
  readonly row: ActionRow
  readonly isSelected: boolean
  readonly cases: readonly Case[]
  readonly lastTest: LastTest | null | undefined
  readonly commands: ActionCommands
  readonly onOpen: (panel: 'definition' | 'test') => void
}) {
  const { row, isSelected, cases, lastTest, commands, onOpen } = props
  const { actionId, name, toolName, method, path, isEnabled, attention } = row
  const tabIndex = isSelected ? 0 : -1
  return (
    // The list handles the keyboard: Enter opens a row like a click.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={`${classes.columns} ${classes.row} ${isEnabled ? '' : classes.off}`}
      onClick={() => onOpen('definition')}
    >
      <span>
        <Method method={method} />
      </span>
      <span className={classes.name}>
        <span className="cut">{name}</span>
        <AttentionMark attention={attention} />
        {cases.length > 0 && <CaseCount cases={cases} isAlone />}
      </span>
      <code className={`${classes.mono} ${classes.toolName} cut`}>{toolName}</code>
      <code className={`${classes.mono} t2 cut`}>{path}</code>
      <LastTestCell test={lastTest} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only stops a click */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <span className={classes.end} onClick={event => event.stopPropagation()}>
        <EnableSwitch
          name={name}
          isEnabled={isEnabled}
          onChange={next => commands.setEnabled(actionId, next)}
          tabIndex={tabIndex}
        />
        <ActionMenu
          action={row}
          commands={commands}
          onTest={() => onOpen('test')}
          size="xs"
          tabIndex={tabIndex}
        />
      </span>
    </div>
  )
}

/** The result and the time of an action's last test. */
function LastTestCell(props: {
  /** Null for none, undefined while unknown. */
  readonly test: LastTest | null | undefined
}) {
  const { test } = props
  if (test === null) return <span className={`${classes.last} t3`}>Not tested</span>
  return (
    <span className={classes.last}>
      {test === undefined ? (
        <Unknown />
      ) : (
        <>
          <StatusCode status={test.status} text={test.status === null ? test.code : null} />
          <span className="t3 cut">
            <RelativeTime at={test.at} />
          </span>
        </>
      )}
    </span>
  )
}
