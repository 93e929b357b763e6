import { execFileSync } from 'node:child_process'

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  // Most take the first; openssl takes only the second.
  return ['--version', 'version'].some(argument => {
    try {
      execFileSync(name, [argument], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

/** The title of tests that need a program: says in the report that they were skipped without it. */
export function titled(title: string, program: string): string {
  return hasProgram(program) ? title : `${title} (skipped: ${program} missing)`
}
