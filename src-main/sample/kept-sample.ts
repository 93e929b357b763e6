import { z } from 'zod'
import { messageOf } from '#main/lib/file-system.ts'
import type { StoredDocument } from '#main/storage/document.ts'

/** Which connection is the sample, and the port of the server behind it. */
const SampleFacts = z.object({ connectionId: z.string(), port: z.int().min(1).max(65_535) })
export type SampleFacts = z.infer<typeof SampleFacts>

export type KeptSample = {
  read(): Promise<SampleFacts | null>
  write(sample: SampleFacts): Promise<void>
  remove(): Promise<void>
}

/**
 * Keeps the sample's facts over a restart. What goes wrong with that is no reason to stop: the sample then lasts
 * as long as the process.
 *
 * @param onProblem is told of it in one sentence.
 */
export function createKeptSample(document: StoredDocument, onProblem: (notice: string) => void): KeptSample {
  const { location } = document
  return {
    async read() {
      try {
        return SampleFacts.nullable().parse(await document.read())
      } catch (error) {
        onProblem(`The sample's server is not started: ${location} cannot be used: ${messageOf(error)}`)
        return null
      }
    },
    write: sample =>
      document.write(sample).catch(error => {
        onProblem(`The sample's server will be gone after a restart, since ${location}: ${messageOf(error)}`)
      }),
    remove: () =>
      document.remove().catch(error => {
        onProblem(`${location} could not be removed: ${messageOf(error)}`)
      }),
  }
}
