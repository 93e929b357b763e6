import { inspect } from 'node:util'
import { allowClosedStdout, say } from '#main/cli/output.ts'
import { runCli } from '#main/cli/run-cli.ts'
import type { ElectronParts } from './electron-parts.ts'

/**
 * Runs a subcommand in the app's process, as Node does. An uncaught error ends it: Electron would show a dialog, which a
 * server cannot display, or a warning, and continue.
 */
export async function runCommand(
  args: readonly string[],
  { app }: { readonly app: Pick<ElectronParts['app'], 'exit'> },
): Promise<void> {
  const end = (error: unknown) => {
    say(inspect(error))
    app.exit(1)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
  allowClosedStdout(process.stdout)
  const status = await runCli(args)
  await new Promise(resolve => process.stdout.write('', resolve))
  app.exit(status)
}
