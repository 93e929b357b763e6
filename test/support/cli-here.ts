import { Readable } from 'node:stream'
import { vi } from 'vitest'
import { runCli } from '#main/cli/run-cli.ts'
import { type CliOptions, type CliResult, runCli as runInProcess } from './cli-process.ts'

/**
 * Runs the executable's own function in this process, where a second process is not the point: starting one
 * takes a third of a second. One at a time. With options other than stdin it is a process of its own.
 */
export async function runCliHere(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { stdin = '', ...others } = options
  if (Object.keys(others).length > 0) return runInProcess(args, options)
  const texts = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      texts[name] += String(text)
      return true
    }),
  )
  const ownStdin = Object.getOwnPropertyDescriptor(process, 'stdin')
  const value = Readable.from([Buffer.from(stdin)])
  Object.defineProperty(process, 'stdin', { ...ownStdin, get: () => value })
  try {
    const code = await runCli(args)
    return { code, ...texts }
  } finally {
    Object.defineProperty(process, 'stdin', { ...ownStdin })
    for (const spy of spies) spy.mockRestore()
  }
}
