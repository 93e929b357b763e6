import { CircleCheck, CircleDashed, CircleMinus, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { type Check, CheckId, type CheckVerdict, expectationOf } from '#shared/model/receiver-check.ts'
import { checkWords } from '#shared/receiver-check/words.ts'
import { formatMs } from '../../ui/format.ts'
import classes from './receiver-check.module.css'

type State = CheckVerdict | 'waiting'

export const verdictWords: Readonly<Record<State, { label: string; icon: LucideIcon; tone: string }>> = {
  passed: { label: 'Passed', icon: CircleCheck, tone: 'ok' },
  failed: { label: 'Failed', icon: CircleX, tone: 'bad' },
  look: { label: 'Look at this', icon: TriangleAlert, tone: 'warn' },
  skipped: { label: 'Not sent', icon: CircleMinus, tone: 'mute' },
  waiting: { label: 'Not made yet', icon: CircleDashed, tone: 'mute' },
}

const groups = [
  ['accepted', 'Must be accepted'],
  ['refused', 'Must be refused'],
  ['survived', 'Must be survived'],
] as const

/** The status that a receiver answered, in the colour of the verdict; a dash without one. */
export function Got({ check }: { readonly check: Pick<Check, 'status' | 'verdict'> }) {
  const { status, verdict } = check
  if (status === null) return <span className="t3">{verdict === 'skipped' ? '–' : 'none'}</span>
  return (
    <span className={classes.got} data-tone={verdictWords[verdict].tone}>
      {status}
    </span>
  )
}

/** The icon of a verdict, with its word for screen readers. */
export function VerdictIcon({ verdict }: { readonly verdict: State }) {
  const { label, icon: Icon, tone } = verdictWords[verdict]
  return (
    <span className={`${classes.icon} ${tone === 'mute' ? 't3' : tone}`} title={label}>
      <Icon />
      <span className="sr">{label}</span>
    </span>
  )
}

/** All checks in their groups. With their outcomes, each opens its details. */
export function CheckList(props: {
  /** Null before the first time. */
  readonly checks: readonly Check[] | null
  readonly selected: CheckId | null
  readonly onSelect: (id: CheckId) => void
  readonly listProps?: object
}) {
  const { checks, selected, onSelect, listProps } = props
  const byId = new Map(checks?.map(check => [check.id, check]))
  return (
    <div className={classes.list} {...listProps}>
      {groups.map(([expectation, label], index) => (
        <section key={expectation} aria-label={label}>
          <div className={classes.head}>
            <span />
            <h3>{label}</h3>
            <span aria-hidden={index > 0}>{index === 0 && 'Expected'}</span>
            <span>{index === 0 && checks !== null && 'Got'}</span>
            <span className={classes.end}>{index === 0 && checks !== null && 'Took'}</span>
          </div>
          <ul>
            {CheckId.options
              .filter(id => expectationOf(id) === expectation)
              .map(id => (
                <li key={id}>
                  <Row id={id} check={byId.get(id)} isSelected={id === selected} onSelect={onSelect} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Row(props: {
  readonly id: CheckId
  readonly check: Check | undefined
  readonly isSelected: boolean
  readonly onSelect: (id: CheckId) => void
}) {
  const { id, check, isSelected, onSelect } = props
  const { title, hint, expected } = checkWords[id]
  const cells = (
    <>
      <VerdictIcon verdict={check?.verdict ?? 'waiting'} />
      <span className="cut">
        <span className="w5">{title}</span>
        {hint !== '' && <span className="sm t3"> {hint}</span>}
      </span>
      <span className={expected.includes(' ') ? 'sm t2' : `t2 ${classes.code}`}>{expected}</span>
      <span>{check && <Got check={check} />}</span>
      <span className={`sm num t2 ${classes.end}`}>
        {check?.tookMs == null ? '' : formatMs(check.tookMs)}
      </span>
    </>
  )
  if (check === undefined) return <div className={classes.row}>{cells}</div>
  return (
    <button
      type="button"
      className={`${classes.row} ${classes.choosable}`}
      data-check={id}
      aria-current={isSelected || undefined}
      onClick={() => onSelect(id)}
    >
      {cells}
    </button>
  )
}
