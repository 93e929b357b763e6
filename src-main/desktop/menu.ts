import type { MenuItem } from './electron-parts.ts'

export type MenuActions = {
  readonly openDataFolder: () => void
}

const separator: MenuItem = { type: 'separator' }

/** The application menu. Its shortcuts leave those alone that the dashboard has. Pure. */
export function menuTemplate(
  platform: NodeJS.Platform,
  isPackaged: boolean,
  { openDataFolder }: MenuActions,
): MenuItem[] {
  const isMac = platform === 'darwin'
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        { label: 'Show data folder', click: openDataFolder },
        separator,
        isMac ? { role: 'close' } : { role: 'close', label: 'Close window' },
        ...(isMac ? [] : [{ role: 'quit', label: 'Quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'reload' },
        ...(isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    ...(isMac ? [] : [{ label: 'Help', submenu: [{ role: 'about' } as const] }]),
  ]
}
