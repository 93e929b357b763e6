import { Link } from '@tanstack/react-router'
import type { RunCounts } from '#shared/model/run.ts'
import { FollowButton } from '../../ui/followed-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Top, useTitle } from '../../ui/page.tsx'
import { periodOf, periods } from './periods.ts'
import { RunsView, useRunsView } from './runs-view.tsx'
import { useRunsPlace } from './use-runs-place.ts'

/** The runs of the workflows, and the details of the open one. */
export function RunsPage() {
  useTitle('Runs')
  const view = useRunsView()
  return (
    <>
      <Top
        crumbs={[
          <Link key="workflows" to="/workflows">
            Workflows
          </Link>,
        ]}
        title="Runs"
        actions={
          <>
            <Total counts={view.counts} />
            <FollowButton state={view.state} />
          </>
        }
      />
      <RunsView view={view} />
    </>
  )
}

/** Shows the number of runs in the period. */
function Total({ counts }: { readonly counts: RunCounts | undefined }) {
  const period = periodOf(useRunsPlace().since)
  if (counts === undefined || period === null) return null
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  return (
    <span className="sm t3 num nowrap">
      {formatNumber(sum)} {periods[period].within}
    </span>
  )
}
