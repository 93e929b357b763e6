import { vi } from 'vitest'
import { runCli } from '#main/cli/run-cli.ts'
import type { CliResult } from './cli-process.ts'

/**
 * Runs the executable's own function in this process: for what ends before it needs a process of its own,
 * which takes a third of a second to start.
 */
export async function runCliHere(args: readonly string[]): Promise<CliResult> {
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
