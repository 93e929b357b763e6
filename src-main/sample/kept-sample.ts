import { readFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { errnoOf, messageOf, writeDurably } from '#main/lib/file-system.ts'

/** Which connection is the sample, and the port of the server behind it. */
export const KeptSample = z.object({ connectionId: z.string(), port: z.int().min(1).max(65_535) })
export type KeptSample = z.infer<typeof KeptSample>

export type SampleFile = {
  read(): Promise<KeptSample | null>
  write(sample: KeptSample): Promise<void>
  remove(): Promise<void>
}

/**
 * `sample.json` in the data folder. What goes wrong with it is no reason to stop: the sample then lasts as
 * long as the process.
 *
 * @param onProblem is told of it in one sentence.
 */
export function sampleFile(path: string, onProblem: (notice: string) => void): SampleFile {
  return {
    async read() {
      try {
        return KeptSample.parse(JSON.parse(await readFile(path, 'utf8')))
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT')
          onProblem(`The sample's server is not started: ${path} cannot be used: ${messageOf(error)}`)
        return null
      }
    },
    async write(sample) {
      try {
        await writeDurably(path, JSON.stringify(sample))
      } catch (error) {
        onProblem(`The sample's server will be gone after a restart, since ${path}: ${messageOf(error)}`)
      }
    },
    async remove() {
      try {
        await rm(path, { force: true })
      } catch (error) {
        onProblem(`${path} could not be removed: ${messageOf(error)}`)
      }
    },
  }
}
