import { windowOrigin } from '#shared/window-channel.ts'
import type { WindowState } from './desktop-file.ts'
import type { ElectronParts, WindowOptions, WindowPart } from './electron-parts.ts'
import { placeWindow, smallestWindow } from './window-state.ts'

export type AppWindowOptions = {
  readonly platform: NodeJS.Platform
  readonly preloadFile: string
  readonly icon: string
  readonly keptState: () => WindowState | null
  readonly keepState: (state: WindowState) => Promise<void>
  /** The page's process has died for the second time in a row. @returns whether to load the page again. */
  readonly onCrash: (reason: string) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The app's one window, which may be closed and opened again while the app goes on. */
export type AppWindow = {
  /** Opens it, or brings it to the front. */
  show(): void
  /** Null while it is closed. */
  current(): WindowPart | null
  /** Remembers where it is, for the next start; when it is closed, that has been done. */
  keep(): Promise<void>
}

/** Milliseconds within which a second crash counts as a consequence of the first. */
const crashWindowMs = 60_000

export function createAppWindow(
  { BrowserWindow, screen }: Pick<ElectronParts, 'BrowserWindow' | 'screen'>,
  options: AppWindowOptions,
): AppWindow {
  let window: WindowPart | null = null
  const current = () => (window === null || window.isDestroyed() ? null : window)

  const keepStateOf = (kept: WindowPart) =>
    options.keepState({ bounds: kept.getNormalBounds(), isMaximized: kept.isMaximized() })

  function open(): WindowPart {
    const state = options.keptState()
    const workAreas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const opened = new BrowserWindow({ ...placeWindow(state, workAreas), ...looks(options) })
    let isRevealed = false
    const reveal = () => {
      if (isRevealed) return
      isRevealed = true
      if (state?.isMaximized === true) opened.maximize()
      opened.show()
    }
    opened.on('ready-to-show', reveal)
    // Under Wayland a window is not painted before it is shown: electron/electron#48859.
    if (options.platform === 'linux') opened.webContents.on('did-finish-load', reveal)
    opened.on('close', () => void keepStateOf(opened))
    opened.on('closed', () => {
      if (window === opened) window = null
    })
    recover(opened, options)
    void opened.loadURL(`${windowOrigin}/`)
    return opened
  }

  return {
    current,
    async keep() {
      const kept = current()
      if (kept !== null) await keepStateOf(kept)
    },
    show() {
      const shown = current()
      if (shown === null) {
        window = open()
        return
      }
      if (shown.isMinimized()) shown.restore()
      shown.show()
      shown.focus()
    },
  }
}

/** Loads the page again when its process dies: at once the first time, after asking when it dies again. */
function recover(window: WindowPart, { onCrash, clock }: AppWindowOptions): void {
  let lastCrash = Number.NEGATIVE_INFINITY
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const again = clock() - lastCrash < crashWindowMs
    lastCrash = clock()
    const reload = () => {
      if (!window.isDestroyed()) window.webContents.reload()
    }
    if (!again) reload()
    else void onCrash(reason).then(wanted => wanted && reload())
  })
}

function looks({ platform, preloadFile, icon }: AppWindowOptions): Omit<WindowOptions, 'width' | 'height'> {
  return {
    minWidth: smallestWindow.width,
    minHeight: smallestWindow.height,
    show: false,
    title: 'Custom Connection',
    icon,
    ...(platform === 'darwin' ? { titleBarStyle: 'hiddenInset' } : {}),
    webPreferences: {
      preload: preloadFile,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  }
}
