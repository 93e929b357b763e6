import { vi } from 'vitest'
import { runCli } from '#main/cli/run-cli.ts'
import { type CliOptions, type CliResult, runCli as runInProcess } from './cli-process.ts'

/**
 * Runs the executable's own function in this process, where a second process is not the point: starting one
 * takes a third of a second. One at a time. With options it is a process of its own.
 */
export async function runCliHere(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  if (options !== undefined) return runInProcess(args, options)
  const texts = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map(name =>
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      texts[name] += String(text)
      return true
    }),
  )
  try {
    const code = await runCli(args)
    return { code, ...texts }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
