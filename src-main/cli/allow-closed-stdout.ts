import { errnoOf } from '#main/store/file-system.ts'

/** Whoever reads may have had enough, such as `head`. */
export function allowClosedStdout(stdout: NodeJS.WritableStream): void {
  stdout.on('error', error => {
    if (errnoOf(error) !== 'EPIPE') throw error
  })
}
