import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { FollowButton } from '../../ui/followed-list.tsx'
import { Top, useTitle } from '../../ui/page.tsx'
import { ActivityChart } from './activity-chart.tsx'
import { ActivityView, useActivityView } from './activity-view.tsx'
import { PageFilters } from './page-filters.tsx'

/** The activity of all connections of the workspace, and the details of the open item. */
export function ActivityPage() {
  useTitle('Activity')
  const { workspace } = useWorkspace()
  return workspace === null ? <Top title="Activity" /> : <Loaded />
}

function Loaded() {
  const view = useActivityView()
  return (
    <>
      <Top
        title="Activity"
        beside={<span className="sm t3 nowrap">all connections</span>}
        actions={<FollowButton state={view.state} />}
      />
      <ActivityView
        view={view}
        above={
          <>
            <ActivityChart place={view.place} filter={view.feed.selected} />
            <PageFilters view={view} />
          </>
        }
        size={484}
      />
    </>
  )
}
