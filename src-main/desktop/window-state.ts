import type { WindowState } from './desktop-file.ts'
import type { Bounds } from './electron-parts.ts'

/** In points. Below 900×600 the dashboard's panes no longer fit. */
export const smallestWindow = { width: 900, height: 600 }
const firstWindow = { width: 1280, height: 800 }

/** How much of a window must lie on a display, in points, for its title bar to be taken hold of. */
const grip = { width: 120, height: 40 }

/**
 * Where to open the window. One that a display that is gone would have shown opens in the middle of the
 * first one, and none is larger than the display it is on. Pure.
 *
 * @param workAreas of the displays, the first one's first; without panels and docks.
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
