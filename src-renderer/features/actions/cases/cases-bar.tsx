import { Button, Progress } from '@mantine/core'
import { Play } from 'lucide-react'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import { ClockTime } from '../../../ui/badges.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { KeyButton } from '../../../ui/keys.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import type { ActionRow } from '../select-actions.ts'
import { CaseMark } from './case-mark.tsx'
import { cancelCases, runCases, useProgress } from './case-runs.ts'
import classes from './cases.module.css'
import { confirmChanges } from './confirm-changes.tsx'
import { type CaseCounts, type Cases, countCases } from './use-cases.ts'

/** Says how many cases of the connection pass, and runs them all. Not shown while there are none. */
export function CasesBar(props: { readonly cases: Cases; readonly actions: readonly ActionRow[] }) {
  const { cases, actions } = props
  const { connectionId } = useCurrentConnection()
  const progress = useProgress(connectionId)
  const runAll = useRunAll(cases, actions)
  const isShown = cases.all.length > 0
  useShortcut({ keys: 'a', label: 'Run all cases', group: 'Actions' }, runAll, isShown && progress === null)
  if (!isShown) return null
  const counts = countCases(cases.all)
  return (
    <section className={classes.bar} aria-label="Cases of this connection">
      {progress === null ? (
        <>
          <CaseMark state={sumOf(counts)} />
          <span className="h3 num grow cut">{inWords(counts)}</span>
          {counts.newestAt !== null && (
            <span className={`t3 sm ${classes.time}`}>
              <ClockTime at={counts.newestAt} />
            </span>
          )}
          <KeyButton icon={Play} keys="a" onClick={runAll}>
            Run all
          </KeyButton>
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

/** Returns a function that runs all cases of the connection, in the order of their actions. */
export function useRunAll(cases: Cases, actions: readonly ActionRow[]): () => void {
  const connection = useCurrentConnection()
  const { connectionId } = connection
  return () =>
    confirmChanges(
      connection,
      actions.flatMap(({ actionId, method, toolName }) =>
        cases.of(actionId).map(one => ({ ...one, method, toolName })),
      ),
      chosen => void runCases(connectionId, chosen),
    )
}

/** How many cases of an action pass, at the end of its row. */
export function CaseCount({
  cases,
}: {
  readonly cases: readonly Parameters<typeof countCases>[0][number][]
}) {
  const { total, passed, failed } = countCases(cases)
  if (total === 0) return <span className="sm t3">None</span>
  return (
    <span className={`sm num nowrap ${failed > 0 ? 'bad' : passed < total ? 't3' : 't2'}`}>
      {formatNumber(passed)} of {formatNumber(total)}
      <span className="sr"> cases pass</span>
    </span>
  )
}

function sumOf({ total, passed, failed }: CaseCounts) {
  if (failed > 0) return 'failed'
  return passed === total ? 'passed' : 'waiting'
}

/** Returns how many cases pass: “14 of 15 pass”. */
export function inWords({ total, passed, newestAt }: CaseCounts): string {
  if (newestAt === null) return `${formatCount(total, 'case')}, not run yet`
  return `${formatNumber(passed)} of ${formatNumber(total)} ${total === 1 ? 'passes' : 'pass'}`
}
