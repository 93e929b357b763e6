import { Link } from '@tanstack/react-router'
import type { RunDetails } from '#shared/model/run.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { bannerOf } from '../../entities/run/banner.ts'
import { RunBanner } from '../../entities/run/run-banner.tsx'
import type { TimelineRow } from '../../entities/run/timeline.ts'
import { currentStep } from '../../entities/run/timeline.ts'
import { useRunCommands } from '../../entities/run/use-run-commands.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import classes from './story.module.css'
import { group } from './story-group.ts'

/** The state of a run and the shortcuts that change it; only these where its state is not shown. */
export function RunPart(props: {
  readonly run: RunDetails
  readonly rows: readonly TimelineRow[]
  /** Null for a deleted one. */
  readonly workflow: Workflow | null
  readonly now: number
  readonly isShown: boolean
}) {
  const { run, rows, workflow, now, isShown } = props
  const commands = useRunCommands(run)
  const banner = bannerOf(run, currentStep(rows), workflow !== null, now)
  const { retry, cancel } = commands
  useShortcut({ keys: 'mod+enter', label: banner.retry ?? '', group }, retry, banner.retry !== null)
  useShortcut({ keys: 'x', label: 'Cancel the run', group }, cancel, banner.canCancel)
  if (!isShown) return null
  return (
    <>
      <RunBanner
        banner={banner}
        onCancel={cancel}
        onRetry={retry}
        isCancelling={commands.isCancelling}
        isRetrying={commands.isRetrying}
      />
      <p className={`sm ${classes.section}`}>
        <Link className="link" to="/workflows/runs" search={{ run: run.runId }}>
          Open the run
        </Link>{' '}
        <code className="t3 xs">{run.runId}</code>
      </p>
    </>
  )
}
