import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDurably } from '#main/lib/file-system.ts'
import { hiddenArgument } from './arguments.ts'
import type { AppPart } from './electron-parts.ts'

export type LoginOptions = {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
  /** The program, and what it is started with; of an AppImage the image, not what it has unpacked. */
  readonly command: readonly [string, ...string[]]
}

/** Has the app started in the tray when the user logs in, or not any more. */
export async function setLaunchAtLogin(app: AppPart, options: LoginOptions, isOn: boolean): Promise<void> {
  const [path, ...args] = options.command
  if (options.platform === 'linux') await setAutostart(autostartFile(options), options.command, isOn)
  else app.setLoginItemSettings({ openAtLogin: isOn, path, args: [...args, hiddenArgument] })
}

/** Where the desktop looks for what to start (Desktop Application Autostart Specification). */
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

/** As the Desktop Entry Specification has arguments of Exec: quoted, then escaped once more as a string. */
function quoted(argument: string): string {
  const inQuotes = argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')
  return `"${inQuotes.replaceAll('\\', '\\\\')}"`
}
