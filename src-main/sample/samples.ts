import { z } from 'zod'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { applyImport } from '#main/importing/imports.ts'
import { parseDocument } from '#main/importing/parse.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { isKept } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import { ServiceError } from '#shared/errors.ts'
import document from '../../resources/samples/order-system.json' with { type: 'json' }
import { createOrderSystem } from './order-system.ts'
import { type SampleServer, sampleHost, startSampleServer } from './sample-server.ts'

export type Samples = ReturnType<typeof createSamples>

/** The samples of a service that can have none. */
export const noSamples: Samples = {
  start: async () => {},
  load: async () => {
    throw new ServiceError('sample_not_available')
  },
  stop: async () => {},
}

/** The connection that is the sample, and the port of its server. */
const SampleFacts = z.object({ connectionId: z.string(), port: z.int().min(1).max(65_535) })
type SampleFacts = z.infer<typeof SampleFacts>

/**
 * Creates the sample: a connection, and a small order system that answers its actions while the connection exists. If
 * its document cannot be read or written, the sample lasts as long as the process.
 */
export function createSamples(options: {
  readonly store: ConfigStore
  /** Stores which connection is the sample. */
  readonly document: StoredDocument
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Receives sentences for the operator. */
  readonly onProblem: (notice: string) => void
  readonly onError: (error: unknown) => void
}) {
  const { store, document: stored, clock, random, onProblem, onError } = options
  let sample: SampleFacts | null = null
  let server: SampleServer | null = null
  let isStopped = false
  /** Two loads at once create one sample. */
  const inTurn = createSerialQueue()

  const exists = ({ connectionId }: SampleFacts) => isKept(store.snapshot(), connectionId)

  function secret(): string | null {
    if (sample === null) return null
    return store.snapshot().connections.get(sample.connectionId)?.signingSecret ?? null
  }

  const listen = (port: number) =>
    startSampleServer({ port, orders: createOrderSystem(clock()), secret, clock, onError })

  /** Returns null, and reports the problem, if `act` fails. */
  async function tryTo<Result>(act: () => Promise<Result>, problem: string): Promise<Result | null> {
    return act().catch(error => {
      onProblem(`${problem}: ${messageOf(error)}`)
      return null
    })
  }

  /** Listens on the port of the connection's base URL. */
  async function listenAgain({ port }: SampleFacts): Promise<void> {
    if (server !== null || isStopped) return
    server = await tryTo(
      () => listen(port),
      "The sample's server is not started, so calls of its actions fail",
    )
  }

  async function stopServer(): Promise<void> {
    await server?.stop()
    server = null
  }

  /** Forgets the sample if its connection was deleted. */
  async function forget(): Promise<void> {
    if (sample === null || exists(sample)) return
    sample = null
    await stopServer()
    await tryTo(stored.remove, `${stored.location} could not be removed`)
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
    if (sample !== null && !exists(sample)) void inTurn(forget).catch(onError)
  })

  return {
    /** Starts the server again if a sample was loaded before. Never throws. */
    start: () =>
      inTurn(async () => {
        sample ??= await tryTo(
          async () => SampleFacts.nullable().parse(await stored.read()),
          `The sample's server is not started, because ${stored.location} cannot be used`,
        )
        if (sample === null) return
        if (exists(sample)) await listenAgain(sample)
        else await forget()
      }).catch(onError),
    /**
     * Imports the sample document with the base URL of a server that is started for it. An existing sample stays as it
     * is: a data folder has only one.
     *
     * @param workspaceId of the new connection; null for the default workspace.
     * @throws ServiceError `workspace_not_found`, `address_unavailable`, `storage_unavailable`.
     */
    load: (workspaceId: string | null) =>
      inTurn(async () => {
        await forget()
        if (sample !== null) await listenAgain(sample)
        else {
          const created = await create(workspaceId)
          sample = created
          await tryTo(
            () => stored.write(created),
            `The sample's server will not start again after a restart, because ${stored.location} cannot be written`,
          )
        }
        return { connectionId: sample.connectionId }
      }),
    stop() {
      isStopped = true
      unsubscribe()
      return inTurn(stopServer)
    },
  }
}
