import { Modal } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../client/client.ts'
import { useConnection } from '../entities/connection/use-connections.ts'
import { useOverlays } from '../overlays.tsx'
import { Fact } from '../ui/fact.tsx'
import { useReturnFocus } from '../ui/focus.ts'
import { Keys } from '../ui/keys.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { type Shortcut, useShortcutList } from '../ui/shortcuts.tsx'
import classes from './shell.module.css'

const ImportDialog = lazyComponent(() => import('../features/imports/import-dialog.tsx'))
const DeleteConnectionDialog = lazyComponent(
  () => import('../features/connections/delete-connection-dialog.tsx'),
)
const NewConnectionDialog = lazyComponent(() => import('../features/connections/new-connection-dialog.tsx'))
const NewWorkspaceDialog = lazyComponent(() => import('../features/workspaces/new-workspace-dialog.tsx'))
const RotateSecretDialog = lazyComponent(() => import('../features/connections/rotate-secret-dialog.tsx'))
const ImportAgainDialog = lazyComponent(() => import('../features/imports/reimport/reimport-dialog.tsx'))
const ImportWorkflowDialog = lazyComponent(() => import('../features/workflows/import-workflow-dialog.tsx'))
const Palette = lazyComponent(() => import('../features/palette/palette.tsx'))

/** The dialogs that are loaded ahead. */
export const dialogs = [
  NewConnectionDialog,
  NewWorkspaceDialog,
  RotateSecretDialog,
  DeleteConnectionDialog,
  ImportDialog,
  ImportAgainDialog,
  ImportWorkflowDialog,
  Palette,
]

type OfConnection = { readonly connectionId: string; readonly onClose: () => void }

/** Rotates the secret of a connection that may not be open. Only the dialog shows the new one. */
function RotateSecret({ connectionId, onClose }: OfConnection) {
  const { data } = useQuery(api.connections.get.queryOptions({ input: { connectionId } }))
  return data && <RotateSecretDialog connection={data} onClose={onClose} onRotated={onClose} />
}

function DeleteConnection({ connectionId, onClose }: OfConnection) {
  const connection = useConnection(connectionId)
  return connection && <DeleteConnectionDialog connection={connection} onClose={onClose} />
}

/** Renders the open dialog. */
export function Dialogs() {
  const { current, close } = useOverlays()
  useCloseOnLeave(close)
  return (
    <>
      {current?.kind === 'new-connection' && <NewConnectionDialog onClose={close} />}
      {current?.kind === 'new-workspace' && <NewWorkspaceDialog onClose={close} />}
      {current?.kind === 'rotate-secret' && (
        <RotateSecret connectionId={current.connectionId} onClose={close} />
      )}
      {current?.kind === 'delete-connection' && (
        <DeleteConnection connectionId={current.connectionId} onClose={close} />
      )}
      {current?.kind === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {current?.kind === 'import' && <ImportDialog request={current.request} onClose={close} />}
      {current?.kind === 'reimport' && (
        <ImportAgainDialog connectionId={current.connectionId} onClose={close} />
      )}
      {current?.kind === 'import-workflow' && <ImportWorkflowDialog files={current.files} onClose={close} />}
      {current?.kind === 'palette' && <Palette query={current.query ?? ''} onClose={close} />}
    </>
  )
}

/** Closes every dialog when the browser goes back or forward. A dialog that navigates closes itself. */
function useCloseOnLeave(close: () => void): void {
  const { history } = useRouter()
  useEffect(() => {
    let before = history.location.href
    return history.subscribe(({ location, action }) => {
      const hasLeft = location.href !== before
      before = location.href
      // Blocked navigation reports the old address.
      if (!hasLeft || action.type === 'PUSH' || action.type === 'REPLACE') return
      close()
      modals.closeAll()
    })
  }, [history, close])
}

function byGroup(shortcuts: readonly Shortcut[]): [string, Shortcut[]][] {
  const shown = shortcuts.filter(
    (one, index) =>
      shortcuts.findIndex(other => other.keys === one.keys && other.label === one.label) === index,
  )
  return Object.entries(Object.groupBy(shown, ({ group }) => group)).map(([group, all = []]) => [group, all])
}

/** Lists the shortcuts of the screen behind it. */
function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  useReturnFocus()
  const list = useShortcutList()
  // Read once, before the dialog adds its own shortcuts.
  const [groups] = useState(() => byGroup(list().toReversed()))
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={640}>
      <div className={classes.groups}>
        {groups.map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className="xs t3 w5">{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys + label} className={classes.line}>
                  <Fact name={label}>
                    <Keys keys={keys} />
                  </Fact>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
