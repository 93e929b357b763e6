import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { api } from '../../client/client.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { type SettingsSection, sectionTitles } from '../../settings-sections.ts'
import { formatSince } from '../../ui/format.ts'
import { Foot, Top } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useTitle } from '../../ui/use-title.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { DataFolderSection } from './data-folder-section.tsx'
import { DesktopSection } from './desktop-section.tsx'
import { EnvironmentSection } from './environment-section.tsx'
import { LicensesButton } from './licenses.tsx'
import { LimitsSection } from './limits-section.tsx'
import { ListenerSection } from './listener-section.tsx'
import { PublicUrlSection } from './public-url-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { SettingsNav } from './settings-nav.tsx'
import classes from './settings-page.module.css'
import { WorkspacesSection } from './workspaces-section.tsx'

const sections: Readonly<Record<SettingsSection, ComponentType>> = {
  listener: ListenerSection,
  'public-url': PublicUrlSection,
  environment: EnvironmentSection,
  workspaces: WorkspacesSection,
  limits: LimitsSection,
  retention: RetentionSection,
  appearance: AppearanceSection,
  desktop: DesktopSection,
  'data-folder': DataFolderSection,
}

/** Pages whose changes are saved, and do not apply at once. */
const hasForm: ReadonlySet<SettingsSection> = new Set(['listener', 'public-url', 'limits', 'retention'])

/** Settings: its pages on the left, the one that is open on the right. */
export function SettingsPage() {
  const { section } = useParams({ from: '/settings/$section' })
  const Shown = sections[section]
  const { data } = useQuery(api.service.get.queryOptions())
  useTitle(sectionTitles[section])
  return (
    <>
      <Top crumbs={['Settings']} title={sectionTitles[section]} actions={<ListeningPill />} />
      <div className={classes.split}>
        <SettingsNav open={section} />
        <div className={classes.page}>
          <Shown key={section} />
        </div>
      </div>
      <Foot
        hints={[
          { keys: 'mod+k', does: 'search or run' },
          ...(section === 'environment' ? [{ keys: 'mod+e', does: 'add variable' }] : []),
          ...(hasForm.has(section) ? [{ keys: 'mod+s', does: 'save' }] : []),
          { keys: '?', does: 'all shortcuts' },
        ]}
      >
        {data !== undefined && `Custom Connection ${data.version} · `}
        <LicensesButton />
      </Foot>
    </>
  )
}

function ListeningPill() {
  const now = useNow(30_000)
  const live = useLiveState()
  const { data } = useQuery(api.service.get.queryOptions())
  if (data === undefined) return null
  const { since } = data.listener
  if (live === 'lost') return <Pill tone="warn">Reconnecting…</Pill>
  if (since === null) return <Pill tone="warn">Not listening</Pill>
  return <Pill tone="ok">Listening for {formatSince(since, now)}</Pill>
}
