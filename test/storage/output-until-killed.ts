import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

/**
 * Runs a program on a database until it has printed more than so many lines, then kills it. Returns the lines.
 *
 * @param program a file of this folder. @param database its only argument.
 */
export async function outputUntilKilled(program: string, database: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: string[] = []
  const exited = new Promise(resolve => child.once('exit', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line)
    if (printed.length > lines) child.kill('SIGKILL')
  }
  await exited
  expect(child.signalCode).toBe('SIGKILL')
  return printed
}
