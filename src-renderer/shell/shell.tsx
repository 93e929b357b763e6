import { Outlet } from '@tanstack/react-router'
import { isDesktop, isMac } from '../client/client.ts'
import { ImportDropTarget } from '../features/imports/import-drop-target.tsx'
import { Dialogs } from './dialogs.tsx'
import { GlobalShortcuts } from './global-shortcuts.tsx'
import classes from './shell.module.css'
import { Sidebar } from './sidebar.tsx'
import { StorageNotice } from './storage-notice.tsx'
import { useScreensAhead } from './use-screens-ahead.ts'

/** The frame around every screen: the sidebar, the sheet, and whatever dialog stands over them. */
export function Shell() {
  useScreensAhead()
  return (
    <div className={classes.app} data-inset-titlebar={(isDesktop && isMac) || undefined}>
      <GlobalShortcuts />
      <Sidebar />
      <main className={classes.main}>
        <StorageNotice />
        <Outlet />
      </main>
      <Dialogs />
      <ImportDropTarget />
    </div>
  )
}
