import { useQuery } from '@tanstack/react-query'
import type { DesktopPreferences } from '#shared/model/desktop.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { Note } from '../../ui/note.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { PageContent, Section } from '../../ui/section.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { WriteSwitch } from '../../ui/write-button.tsx'
import classes from './settings-page.module.css'

type Choice = { readonly name: keyof DesktopPreferences; readonly label: string; readonly help: string }

const choices: readonly Choice[] = [
  {
    name: 'keepRunning',
    label: 'Keep receiving when the window is closed',
    help: 'The app stays in the tray. Quit it from there.',
  },
  { name: 'launchAtLogin', label: 'Start when you log in', help: 'In the tray, without a window.' },
  {
    name: 'notifyRejected',
    label: 'Notify when a request is refused',
    help: 'A system notification names the connection and the reason.',
  },
  {
    name: 'useKeychain',
    label: 'Protect secrets with the keychain',
    help: 'The system’s keychain protects the key that encrypts the stored secrets.',
  },
  {
    name: 'dashboardOnTcp',
    label: 'Serve the dashboard and REST on this computer',
    help: 'At 127.0.0.1:8788, for browsers and scripts with the admin token.',
  },
]

/** The desktop app's preferences. */
export function DesktopSection() {
  const query = useQuery(api.desktop.get.queryOptions())
  const update = useCommand(client.desktop.update, 'The preference was not changed', info =>
    queries.setQueryData(api.desktop.get.queryKey(), info),
  )
  if (query.data === undefined)
    return <QueryState query={query} failed="Only the desktop app has these settings" />
  const { preferences, keychain, dashboardUrl } = query.data
  return (
    <PageContent>
      <Section title="Desktop app" intro="How the app works outside this window.">
        <div className={classes.choices}>
          {choices.map(({ name, label, help }) => (
            <WriteSwitch
              key={name}
              label={label}
              description={
                name === 'dashboardOnTcp' && dashboardUrl !== null ? `Now at ${dashboardUrl}.` : help
              }
              checked={preferences[name]}
              disabled={update.isPending}
              onChange={event => update.mutate({ [name]: event.currentTarget.checked })}
            />
          ))}
        </div>
        {keychain.warning !== null && <Note tone="warn">{keychain.warning}</Note>}
      </Section>
    </PageContent>
  )
}
