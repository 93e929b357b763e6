import { Plus } from 'lucide-react'
import type { RefObject } from 'react'
import { Method } from '../../ui/badges.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import pane from '../../ui/pane.module.css'
import { SearchField } from '../../ui/search-field.tsx'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { AttentionMark, EnableSwitch } from './action-menu.tsx'
import classes from './actions.module.css'
import { CaseCount, CasesBar } from './cases/cases-bar.tsx'
import type { Cases } from './cases/use-cases.ts'
import type { ActionRow } from './select-actions.ts'
import type { ActionCommands } from './use-action-commands.ts'
import { useActionPlace } from './use-action-place.ts'

const keyOf = ({ actionId }: ActionRow) => actionId

/** The actions beside the open one. */
export function ActionList(props: {
  /** The actions that match the filter. */
  readonly rows: readonly ActionRow[]
  readonly commands: ActionCommands
  readonly list: RefObject<VirtualListHandle | null>
  /** Shows how many cases pass instead of the switches; null for the switches. */
  readonly cases: Cases | null
  /** The actions whatever the filter, whose cases “Run all” runs. */
  readonly all: readonly ActionRow[]
}) {
  const { rows, commands, list, cases, all } = props
  const place = useActionPlace()
  return (
    <>
      <div className={pane.bar}>
        <SearchField
          className="fill"
          value={place.filter}
          onChange={place.setFilter}
          label="Filter actions"
          placeholder="Filter actions"
          does="Filter the actions"
          group="Actions"
          list={list}
        />
        <KeyButton icon={Plus} keys={place.panel !== 'cases' && 'n'} onClick={place.openNew}>
          New
        </KeyButton>
      </div>
      {cases !== null && <CasesBar cases={cases} actions={all} />}
      <div className="fill">
        {rows.length === 0 ? (
          <p className={`${classes.none} sm t2`} role="status">
            {place.filter === '' ? 'No actions yet.' : 'No action matches the filter.'}
          </p>
        ) : (
          <VirtualList
            ref={list}
            label="Actions"
            hasControls
            items={rows}
            rowHeight={50}
            getKey={keyOf}
            selectedKey={place.actionId}
            onSelect={({ actionId }) => place.open(actionId)}
            renderRow={(row, isSelected) => (
              <Item row={row} isSelected={isSelected} commands={commands} cases={cases} />
            )}
          />
        )}
      </div>
    </>
  )
}

function Item(props: {
  readonly row: ActionRow
  readonly isSelected: boolean
  readonly commands: ActionCommands
  readonly cases: Cases | null
}) {
  const { row, isSelected, commands, cases } = props
  const { actionId, name, method, path, isEnabled, attention } = row
  return (
    <div className={`${classes.item} ${isEnabled ? '' : classes.off}`}>
      <Method method={method} />
      <span className="col">
        <span className={classes.name}>
          <span className="cut">{name}</span>
          <AttentionMark attention={attention} />
        </span>
        <code className="t3 cut">{path}</code>
      </span>
      {cases === null ? (
        <EnableSwitch
          name={name}
          isEnabled={isEnabled}
          onChange={next => commands.setEnabled(actionId, next)}
          tabIndex={isSelected ? 0 : -1}
        />
      ) : (
        <CaseCount cases={cases.of(actionId)} />
      )}
    </div>
  )
}
