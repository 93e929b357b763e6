import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDurably } from '#main/lib/file-system.ts'
import { hiddenArgument } from './arguments.ts'
import type { AppPart } from './electron-parts.ts'

type LoginOptions = {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  /** The program and its arguments. For an AppImage the program is the image, not its unpacked content. */
  readonly command: readonly [string, ...string[]]
}

/** Enables or disables start at login. At login the app starts in the tray. */
export async function setLaunchAtLogin(app: AppPart, options: LoginOptions, isOn: boolean): Promise<void> {
  const [path, ...args] = options.command
  if (options.platform === 'linux') await setAutostart(autostartFile(options), options.command, isOn)
  else app.setLoginItemSettings({ openAtLogin: isOn, path, args: [...args, hiddenArgument] })
}

/** Returns the path of the autostart entry (Desktop Application Autostart Specification). */
export function autostartFile({ env, home }: Pick<LoginOptions, 'env' | 'home'>): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'autostart', 'custom-connection.desktop')
}

async function setAutostart(file: string, command: readonly string[], isOn: boolean): Promise<void> {
  if (!isOn) {
    await rm(file, { force: true })
    return
  }
  await mkdir(dirname(file), { recursive: true })
  await writeDurably(file, autostartEntry(command))
}

function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Custom Connection',
    'Comment=Receives events in the tray',
    `Exec=${[...command, hiddenArgument].map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/** Quotes an argument of Exec, then escapes it as a string (Desktop Entry Specification). */
function quoted(argument: string): string {
  const inQuotes = argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${inQuotes.replaceAll('\\', '\\\\')}"`
}
