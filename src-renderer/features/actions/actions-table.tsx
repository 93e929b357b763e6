import { Button, SegmentedControl } from '@mantine/core'
import { Download, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import type { LastTest } from '#shared/model/call.ts'
import { Method, RelativeTime, StatusCode, Unknown } from '../../ui/badges.tsx'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { formatNumber } from '../../ui/format.ts'
import { Keys } from '../../ui/keys.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { ActionMenu, AttentionMark, EnableSwitch } from './action-menu.tsx'
import classes from './actions.module.css'
import { type ActionRow, countActions, type Show, selectActions, shows, stepFrom } from './select-actions.ts'
import type { ActionCommands } from './use-action-commands.ts'
import { useActionPlace } from './use-action-place.ts'

const group = 'Actions'
const labels: Readonly<Record<Show, string>> = {
  all: 'All',
  enabled: 'Enabled',
  attention: 'Needs attention',
}
const keyOf = ({ actionId }: ActionRow) => actionId

/** All actions of a connection, while none is open. */
export function ActionsTable(props: {
  readonly rows: readonly ActionRow[]
  readonly lastTests: ReadonlyMap<string, LastTest> | null
  readonly commands: ActionCommands
  readonly onImport: () => void
}) {
  const { rows, lastTests, commands, onImport } = props
  const place = useActionPlace()
  const list = useRef<VirtualListHandle>(null)
  useFocusAfterRemoval(rows.length, () => list.current?.focus())
  const [show, setShow] = useState<Show>('all')
  const [chosen, setChosen] = useState<string | null>(null)

  const counts = countActions(rows)
  const shown = selectActions(rows, place.filter, show)
  const selected = shown.find(({ actionId }) => actionId === chosen) ?? null
  const choose = (by: number) => {
    setChosen(stepFrom(shown, selected?.actionId ?? null, by)?.actionId ?? null)
    list.current?.focus()
  }
  const enabled = selected !== null

  useShortcut({ keys: 'arrowdown', label: 'Next action', group }, () => choose(1))
  useShortcut({ keys: 'arrowup', label: 'Previous action', group }, () => choose(-1))
  useShortcut(
    { keys: 'mod+enter', label: 'Open the test', group },
    () => selected !== null && place.open(selected.actionId, 'test'),
    { enabled },
  )
  useShortcut(
    { keys: 'e', label: 'Enable or disable', group },
    () => selected !== null && commands.toggle(selected),
    { enabled },
  )
  const remove = () => selected !== null && void commands.remove(selected)
  useShortcut({ keys: 'backspace', label: 'Delete', group }, remove, { enabled })
  useShortcut({ keys: 'delete', label: 'Delete', group }, remove, { enabled })

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
          onChange={next => setShow(shows.find(one => one === next) ?? 'all')}
          data={shows.map(value => ({
            value,
            label: (
              <>
                {labels[value]} <span className="t3 num">{formatNumber(counts[value])}</span>
              </>
            ),
          }))}
        />
        <span className="push" />
        <Button leftSection={<Download />} rightSection={<Keys keys="i" />} onClick={onImport}>
          Import
        </Button>
        <Button
          variant="filled"
          leftSection={<Plus />}
          rightSection={<Keys keys="n" />}
          onClick={place.openNew}
        >
          New action
        </Button>
      </div>
      <div className={`${classes.columns} ${classes.head}`} aria-hidden="true">
        <span>Method</span>
        <span>Name</span>
        <span className={classes.toolName}>Tool name</span>
        <span>Path</span>
        <span>Last test</span>
        <span />
      </div>
      <div className={classes.rows}>
        {shown.length === 0 ? (
          <p className={`${classes.none} sm t2`} role="status">
            No action fits. Change the filter, or show all.
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
                all={rows}
                isSelected={isSelected}
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
  readonly all: readonly ActionRow[]
  readonly isSelected: boolean
  readonly lastTest: LastTest | null | undefined
  readonly commands: ActionCommands
  readonly onOpen: (panel: 'definition' | 'test') => void
}) {
  const { row, all, isSelected, lastTest, commands, onOpen } = props
  const { actionId, name, toolName, method, path, isEnabled, attention } = row
  const tabIndex = isSelected ? 0 : -1
  return (
    // The list has the keyboard: Enter opens there what a click opens here.
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
      </span>
      <code className={`${classes.mono} ${classes.toolName} cut`}>{toolName}</code>
      <code className={`${classes.mono} t2 cut`}>{path}</code>
      <LastTestCell test={lastTest} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it takes no click, it keeps one */}
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
          all={all}
          commands={commands}
          onTest={() => onOpen('test')}
          size="xs"
          tabIndex={tabIndex}
        />
      </span>
    </div>
  )
}

/** What the newest test of an action was answered, and when. */
function LastTestCell({
  test,
}: {
  /** Null for none, undefined until it is known. */ readonly test: LastTest | null | undefined
}) {
  if (test === undefined)
    return (
      <span className={classes.last}>
        <Unknown />
      </span>
    )
  if (test === null) return <span className={`${classes.last} t3`}>Not tested</span>
  const { status, code, at } = test
  return (
    <span className={classes.last}>
      <StatusCode status={status} text={status === null ? code : null} />
      <span className="t3 cut">
        <RelativeTime at={at} />
      </span>
    </span>
  )
}
