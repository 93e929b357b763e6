import { formatCount, formatNumber } from '../../ui/format.ts'
import { Foot, type Hint } from '../../ui/page.tsx'
import { useConnectionStatistics } from '../connections/use-connection-statistics.ts'
import type { ActionRow } from './select-actions.ts'
import { type Panel, useActionPlace } from './use-action-place.ts'

const table: readonly Hint[] = [
  { keys: 'updown', does: 'select' },
  { keys: 'enter', does: 'open' },
  { keys: 'mod+enter', does: 'open test' },
  { keys: 'e', does: 'enable or disable' },
  { keys: 'backspace', does: 'delete' },
]
const step: Hint = { keys: 'updown', does: 'previous, next action' }
const close: Hint = { keys: 'escape', does: 'close editor' }
const panels: Readonly<Record<Panel, readonly Hint[]>> = {
  definition: [
    step,
    { keys: 'alt+arrowup alt+arrowdown', does: 'move parameter' },
    { keys: '{{', does: 'insert variable' },
    close,
  ],
  test: [
    step,
    { keys: 'mod+enter', does: 'send' },
    { keys: 'mod+shift+m', does: 'map selected field' },
    close,
  ],
  assistant: [step, { keys: 'e', does: 'enable or disable' }, close],
  history: [step, { keys: 'enter', does: 'open' }, close],
}
const creating: readonly Hint[] = [{ keys: 'mod+s', does: 'create' }, close]

/** What the keyboard does here, and how many actions there are. */
export function ActionsFoot(props: { readonly rows: readonly ActionRow[]; readonly connectionId: string }) {
  const { rows, connectionId } = props
  const place = useActionPlace()
  const calls = useConnectionStatistics(connectionId)?.calls
  const enabled = rows.filter(({ isEnabled }) => isEnabled).length
  const count = formatCount(rows.length, 'action')
  const isTable = place.actionId === null
  const hints = isTable ? table : place.actionId === 'new' ? creating : panels[place.panel]
  return (
    <Foot hints={rows.length === 0 && isTable ? [] : hints}>
      {isTable && calls !== undefined
        ? `${count} · ${formatCount(calls, 'call')} in 24 hours`
        : `${count} · ${formatNumber(enabled)} enabled`}
    </Foot>
  )
}
