import { lazy, Suspense } from 'react'
import { NewConnectionDialog } from '../features/connections/new-connection-dialog.tsx'
import { NewWorkspaceDialog } from '../features/workspaces/new-workspace-dialog.tsx'
import { useOverlays } from './overlays.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { useCloseOnLeave } from './use-close-on-leave.ts'

const ImportDialog = lazy(() => import('../features/imports/import-dialog.tsx'))
const Palette = lazy(() => import('../features/palette/palette.tsx'))

/** Shows the dialog that is open, if one is. */
export function Dialogs() {
  const { current, close } = useOverlays()
  useCloseOnLeave(close)
  return (
    <Suspense>
      {current?.kind === 'new-connection' && <NewConnectionDialog onClose={close} />}
      {current?.kind === 'new-workspace' && <NewWorkspaceDialog onClose={close} />}
      {current?.kind === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      {current?.kind === 'import' && <ImportDialog request={current.request} onClose={close} />}
      {current?.kind === 'palette' && <Palette query={current.query ?? ''} onClose={close} />}
    </Suspense>
  )
}
