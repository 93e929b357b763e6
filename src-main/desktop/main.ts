import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import * as electron from 'electron'
import { createLogger } from '#main/cli/logger.ts'
import { ownCommand } from '#main/cli/own-command.ts'
import { subcommandNames } from '#main/cli/program.ts'
import { defaultDataFolder } from '#main/storage/open-storage.ts'
import { commandArguments, dataArgument } from './arguments.ts'
import { startDesktop } from './desktop.ts'
import { guardAgainstCrashes, openLogFile } from './log-file.ts'
import { runCommand } from './run-command.ts'

const command = commandArguments(process.argv, process.defaultApp === true, subcommandNames)

if (command === null) await openApp()
// Electron waits for this module before it looks for a display, so a server without one can run a subcommand.
else await runCommand(command, electron)

async function openApp(): Promise<void> {
  const { env, platform, argv } = process
  const root = join(import.meta.dirname, '..', '..')
  const named = dataArgument(argv)
  const dataFolder = resolve(
    named ?? (env.CUSTOM_CONNECTION_DATA || defaultDataFolder(platform, env, homedir)),
  )
  const program = ownCommand(process)
  // An installed app has no terminal.
  const logger = electron.app.isPackaged
    ? createLogger('info', await openLogFile(dataFolder))
    : createLogger('info')
  const end = guardAgainstCrashes(process, electron, logger)
  // Not awaited: the app becomes ready only after this module has run.
  startDesktop(electron, {
    dataFolder,
    listener: { host: '127.0.0.1', port: 8787 },
    dashboard: { host: '127.0.0.1', port: 8788 },
    rendererFolder: join(root, 'out', 'renderer'),
    preloadFile: join(root, 'out', 'preload', 'index.cjs'),
    iconFolder: join(root, 'resources', 'icons'),
    argv,
    command: named === null ? program : [...program, `--data=${dataFolder}`],
    platform,
    env,
    home: homedir(),
    logger,
    clock: Date.now,
    random: randomBytes,
    setTimer(callback, ms) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
    // `npm start` waits for it.
    onReady: () => void process.send?.('ready'),
  }).catch(end)
}
