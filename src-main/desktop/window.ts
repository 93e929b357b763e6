import { windowOrigin } from '#shared/window-channel.ts'
import type { WindowState } from './desktop-file.ts'
import type { Bounds, ElectronParts, WindowOptions, WindowPart } from './electron-parts.ts'

type AppWindowOptions = {
  readonly platform: NodeJS.Platform
  readonly preloadFile: string
  readonly icon: string
  readonly keptState: () => WindowState | null
  readonly keepState: (state: WindowState) => Promise<void>
  /** Called when the page's process has crashed twice in a row. @returns whether to load the page again. */
  readonly onCrash: (reason: string) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Milliseconds in which a second crash counts as a repetition of the first. */
const crashWindowMs = 60_000

/** The app's only window. It may be closed and opened again while the app runs. */
export function createAppWindow(
  { BrowserWindow, screen }: Pick<ElectronParts, 'BrowserWindow' | 'screen'>,
  options: AppWindowOptions,
) {
  let window: WindowPart | null = null
  /** Returns null while the window is closed. */
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
    // Under Wayland a window is painted only after it is shown: electron/electron#48859.
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
    /** Stores the position of an open window for the next start; closing it has done so. */
    async keep() {
      const kept = current()
      if (kept !== null) await keepStateOf(kept)
    },
    /** Opens the window, or brings it to the front. */
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

/** Loads the page again after a crash: at once the first time, after asking the user the second time. */
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

/** In points. Below 900×600 the dashboard's panes no longer fit. */
const smallestWindow = { width: 900, height: 600 }
const firstWindow = { width: 1280, height: 800 }

/** How much of the title bar must be on a display, in points, so that the user can drag the window. */
const grip = { width: 120, height: 40 }

/**
 * Returns where to open the window. If its display is gone, it opens in the middle of the first one. It is never larger
 * than its display. Pure.
 *
 * @param workAreas of the displays, the first one's first, without panels and docks.
 */
export function placeWindow(
  state: WindowState | null,
  workAreas: readonly Bounds[],
): { width: number; height: number; x?: number; y?: number } {
  const [first] = workAreas
  const home = workAreas.find(area => state !== null && isInReach(state.bounds, area)) ?? null
  const { width, height } = state?.bounds ?? firstWindow
  const area = home ?? first
  const size = {
    width: Math.max(smallestWindow.width, Math.min(width, area?.width ?? width)),
    height: Math.max(smallestWindow.height, Math.min(height, area?.height ?? height)),
  }
  return state === null || home === null ? size : { ...size, x: state.bounds.x, y: state.bounds.y }
}

function isInReach({ x, y, width }: Bounds, area: Bounds): boolean {
  const visible = Math.min(x + width, area.x + area.width) - Math.max(x, area.x)
  return visible >= grip.width && y >= area.y && y + grip.height <= area.y + area.height
}
