import { Upload } from 'lucide-react'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { FollowButton } from '../../ui/followed-list.tsx'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { Top, useTitle } from '../../ui/page.tsx'
import { ActivityChart } from './activity-chart.tsx'
import { ActivityView, useActivityView } from './activity-view.tsx'
import { PageFilters } from './page-filters.tsx'
import { exportFormats } from './use-export.ts'

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
        actions={
          <>
            <FollowButton state={view.state} />
            <MoreMenu
              name="Activity"
              title="More: export all that match"
              width={220}
              entries={optionsOf(exportFormats).map(({ value, label }) => ({
                ...{ icon: Upload, label: `Export all as ${label}`, also: 'download save file events calls' },
                run: () => view.exporting.save(view.feed.selected, value),
              }))}
            />
          </>
        }
      />
      <ActivityView
        view={view}
        above={
          <>
            <ActivityChart filter={view.feed.selected} />
            <PageFilters view={view} />
          </>
        }
        size={484}
      />
    </>
  )
}
