import { z } from 'zod'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { applyImport } from '#main/importing/imports.ts'
import { parseDocument } from '#main/importing/parse.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { isKept } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import document from '../../resources/samples/order-system.json' with { type: 'json' }
import { createOrderSystem } from './order-system.ts'
import { type SampleServer, sampleHost, startSampleServer } from './sample-server.ts'

export type Samples = {
  /** Starts the server again where a sample was loaded before. Never throws. */
  start(): Promise<void>
  /**
   * Imports the sample document, its base URL that of a server started for it. A sample that is there is
   * kept as it is: there is one in a data folder.
   *
   * @param workspaceId of the new connection; null for the default workspace.
   * @throws ServiceError `workspace_not_found`, `address_unavailable`, `storage_unavailable`.
   */
  load(workspaceId: string | null): Promise<{ connectionId: string }>
  stop(): Promise<void>
}

type SamplesOptions = {
  readonly store: ConfigStore
  /** Where the sample is remembered. */
  readonly document: StoredDocument
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Is told in one sentence what an operator should know. */
  readonly onProblem: (notice: string) => void
  readonly onError: (error: unknown) => void
}

/** The sample connection and the small order system that answers its actions, for as long as it is there. */
export function createSamples(options: SamplesOptions): Samples {
  const { store, clock, random, onProblem, onError } = options
  const kept = createKeptSample(options.document, onProblem)
  let sample: SampleFacts | null = null
  let server: SampleServer | null = null
  let isStopped = false
  /** Loading twice at once makes one sample. */
  const inTurn = createSerialQueue()

  const isThere = ({ connectionId }: SampleFacts) => isKept(store.snapshot(), connectionId)

  function secret(): string | null {
    if (sample === null) return null
    return store.snapshot().connections.get(sample.connectionId)?.signingSecret ?? null
  }

  const listen = (port: number) =>
    startSampleServer({ port, orders: createOrderSystem(clock()), secret, clock, onError })

  /** On the port that the connection's base URL names, or not at all. */
  async function listenAgain({ port }: SampleFacts): Promise<void> {
    if (server !== null || isStopped) return
    try {
      server = await listen(port)
    } catch (error) {
      onProblem(`The sample's server is not started, so calls of its actions fail: ${messageOf(error)}`)
    }
  }

  async function forget(): Promise<void> {
    if (sample === null || isThere(sample)) return
    sample = null
    await server?.stop()
    server = null
    await kept.remove()
  }

  async function create(workspaceId: string | null): Promise<SampleFacts> {
    const started = await listen(0)
    try {
      const connection = { ...document.connection, baseUrl: `http://${sampleHost}:${started.port}` }
      const parsed = parseDocument(JSON.stringify({ ...document, connection }))
      const target = { connectionId: null, workspaceId }
      const now = new Date(clock()).toISOString()
      const { connectionId } = await store.update(config => applyImport(config, parsed, target, now, random))
      server = started
      return { connectionId, port: started.port }
    } catch (error) {
      await started.stop()
      throw error
    }
  }

  const unsubscribe = store.onChange(() => {
    if (sample !== null && !isThere(sample)) void inTurn(forget).catch(onError)
  })

  return {
    start: () =>
      inTurn(async () => {
        sample ??= await kept.read()
        if (sample === null) return
        if (isThere(sample)) await listenAgain(sample)
        else await forget()
      }).catch(onError),
    load: workspaceId =>
      inTurn(async () => {
        await forget()
        if (sample === null) {
          sample = await create(workspaceId)
          await kept.write(sample)
        } else await listenAgain(sample)
        return { connectionId: sample.connectionId }
      }),
    stop() {
      isStopped = true
      unsubscribe()
      return inTurn(async () => {
        await server?.stop()
        server = null
      })
    },
  }
}

/** Which connection is the sample, and the port of the server behind it. */
const SampleFacts = z.object({ connectionId: z.string(), port: z.int().min(1).max(65_535) })
type SampleFacts = z.infer<typeof SampleFacts>

type KeptSample = {
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
function createKeptSample(document: StoredDocument, onProblem: (notice: string) => void): KeptSample {
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
