import { CommanderError } from 'commander'
import { ServiceError } from '#shared/errors.ts'
import { CommandFailed, describeFailure, printLine, say } from './output.ts'
import { createProgram } from './program.ts'

/**
 * Runs the executable (interface: The executable).
 *
 * @param args without the program's own name.
 * @returns the exit status: 0 success, 1 failure, 2 wrong usage.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  const json = args.includes('--json')
  try {
    refuseOldNode(process.versions.node)
    await (await createProgram(args[0])).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // The result, printed already, is a failure.
    if (error instanceof CommandFailed) return 1
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      // The sentence is on stderr already.
      if (json)
        printLine({ ok: false, code: 'invalid_input', message: error.message.replace(/^error: /, '') })
      return 2
    }
    const { code, message, data, stack } = describeFailure(error)
    if (stack !== null) say(stack)
    if (json) printLine({ ok: false, code, message, ...(data === null ? {} : { data }) })
    else say(`${code}: ${message}`)
    return 1
  }
}

const oldestNode = 24

/** Instead of the name of whatever module an older one lacks. */
function refuseOldNode(version: string): void {
  if (Number.parseInt(version, 10) >= oldestNode) return
  const detail = `This program needs Node ${oldestNode} or newer; this is ${version}.`
  throw new ServiceError('internal_error', { detail })
}
