import { errnoOf } from '#main/lib/file-system.ts'

/** Whoever reads may have had enough, such as `head`. */
export function allowClosedStdout(stdout: NodeJS.WritableStream): void {
  stdout.on('error', error => {
    if (errnoOf(error) !== 'EPIPE') throw error
  })
}
