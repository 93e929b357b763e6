import { CommanderError } from 'commander'
import { ServiceError } from '#shared/errors.ts'
import { CommandFailed, describeFailure, printLine, say } from './output.ts'
import { createProgram } from './program.ts'

/**
 * Runs the executable. Returns the exit status: 0 for success, 1 for a failure, 2 for wrong usage, or that of the command.
 *
 * @param args without the program's name.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  const json = args.includes('--json')
  try {
    refuseOldNode(process.versions.node)
    await (await createProgram(args[0])).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const failed = error instanceof CommandFailed ? error : new CommandFailed(1, error)
    // The failure was already printed.
    if (failed.cause === undefined) return failed.status
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      // The sentence was already printed on stderr.
      if (json)
        printLine({ ok: false, code: 'invalid_input', message: error.message.replace(/^error: /, '') })
      return 2
    }
    const { code, message, data, stack } = describeFailure(failed.cause)
    if (stack !== null) say(stack)
    if (json) printLine({ ok: false, code, message, ...(data === null ? {} : { data }) })
    else say(`${code}: ${message}`)
    return failed.status
  }
}

const oldestNode = 24

/** Throws a clear error for an old Node, which would otherwise fail with the name of a missing module. */
function refuseOldNode(version: string): void {
  if (Number.parseInt(version, 10) >= oldestNode) return
  const detail = `This program needs Node ${oldestNode} or newer, but this is ${version}. Install it, or start the program with its path.`
  throw new ServiceError('unsupported_node', { detail })
}
