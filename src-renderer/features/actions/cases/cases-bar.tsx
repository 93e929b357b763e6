import { Button, Progress } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { Play } from 'lucide-react'
import { useRef } from 'react'
import type { Case } from '#shared/model/case.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { ClockTime } from '../../../ui/badges.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { WriteButton } from '../../../ui/write-button.tsx'
import type { ActionRow } from '../select-actions.ts'
import { useRunCases } from './case-entries.ts'
import { CaseMark } from './case-mark.tsx'
import { cancelCases, useProgress } from './case-runs.ts'
import classes from './cases.module.css'
import { type CaseCounts, type Cases, countCases } from './use-cases.ts'

/** Says how many cases of the connection pass, and runs them all. Not shown while there are none. */
export function CasesBar(props: {
  readonly cases: Cases
  readonly actions: readonly ActionRow[]
  /** Whether it has the width of the screen. */
  readonly isWide?: boolean
}) {
  const { cases, actions, isWide = false } = props
  const { connectionId } = useCurrentConnection()
  const progress = useProgress(connectionId)
  const run = useRunCases(cases, actions)
  const runAll = () => run(null)
  const isShown = cases.all.length > 0
  useShortcut({ keys: 'a', label: 'Run all cases', group: 'Actions' }, runAll, isShown && progress === null)
  const bar = useRef<HTMLElement>(null)
  // One button takes the place of the other.
  useDidUpdate(() => {
    if (document.activeElement === document.body) bar.current?.querySelector('button')?.focus()
  }, [progress === null])
  if (!isShown) return null
  const counts = countCases(cases.all)
  return (
    <section
      ref={bar}
      className={classes.bar}
      data-wide={isWide || undefined}
      aria-label="Cases of this connection"
    >
      {progress === null ? (
        <>
          <CaseMark state={sumOf(counts)} />
          <span className="h3 num grow cut">{inWords(counts, isWide ? ' cases' : '')}</span>
          {counts.newestAt !== null && (
            <span className={`t3 sm ${classes.time}`}>
              <ClockTime at={counts.newestAt} />
            </span>
          )}
          <WriteButton icon={Play} keys="a" onClick={runAll}>
            Run all
          </WriteButton>
        </>
      ) : (
        <>
          <CaseMark state="running" />
          <span className="h3 num nowrap" role="status">
            {formatNumber(progress.done)} of {formatNumber(progress.total)}
          </span>
          <Progress
            className="grow"
            size={3}
            value={(progress.done * 100) / progress.total}
            transitionDuration={0}
            aria-label="Cases that have run"
          />
          <Button onClick={() => cancelCases(connectionId)}>Cancel</Button>
        </>
      )}
    </section>
  )
}

/** How many cases of an action pass. @param props.isAlone whether nothing around it says that these are cases. */
export function CaseCount(props: { readonly cases: readonly Case[]; readonly isAlone?: boolean }) {
  const { cases, isAlone = false } = props
  const { total, passed, failed } = countCases(cases)
  if (total === 0) return <span className="sm t3">None</span>
  return (
    <span className={`sm num nowrap ${failed > 0 ? 'bad' : passed < total ? 't3' : 't2'}`}>
      {formatNumber(passed)} of {formatNumber(total)}
      <span className={isAlone ? undefined : 'sr'}> {total === 1 ? 'case' : 'cases'}</span>
      <span className="sr"> pass</span>
    </span>
  )
}

function sumOf({ total, passed, failed }: CaseCounts) {
  if (failed > 0) return 'failed'
  return passed === total ? 'passed' : 'waiting'
}

/** Returns how many cases pass: “14 of 15 pass”. */
export function inWords({ total, passed, newestAt }: CaseCounts, noun = ''): string {
  if (newestAt === null) return `${formatCount(total, 'case')}, not run yet`
  return `${formatNumber(passed)} of ${formatNumber(total)}${noun} ${total === 1 ? 'passes' : 'pass'}`
}
