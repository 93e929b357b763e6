/**
 * The program that opens a page in the user's browser, where somebody sits in front of one. Pure.
 *
 * @param isTerminal whether a person reads along.
 * @returns the command, the address to be added; null where no browser can be opened.
 */
export function browserCommand(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  isTerminal: boolean,
): readonly [string, ...string[]] | null {
  if (!isTerminal || env.CI) return null
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null
}
