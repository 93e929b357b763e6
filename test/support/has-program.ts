import { execFileSync } from 'node:child_process'

/** Whether a program is on this machine. */
export function hasProgram(name: string): boolean {
  // Most take the first; openssl takes only the second, nginx and HAProxy the third, kubectl the last.
  return ['--version', 'version', '-v', 'help'].some(argument => {
    try {
      execFileSync(name, [argument], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

/** Those of the programs that are not on this machine. */
export function missingOf(...names: string[]): string[] {
  return names.filter(name => !hasProgram(name))
}

/** The title of tests that need programs: says in the report that they were skipped for want of some. */
export function titled(title: string, missing: readonly string[]): string {
  return missing.length === 0 ? title : `${title} (skipped: ${missing.join(' and ')} missing)`
}
