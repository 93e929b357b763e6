import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { type Cluster, createCluster, type Server } from './postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** GET returns the URL of the PostgreSQL server that all files share; the first request starts it. */
    postgresStarter: string
  }
}

/** Lets the files of a project share one PostgreSQL server, which the first that needs it starts. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Cluster | null = null
  let started: Promise<Server> | null = null
  const start = () => {
    cluster = createCluster()
    // Every file has a pool, and files run side by side.
    return cluster.start({ max_connections: 200, shared_buffers: '64MB', max_wal_size: '2GB' })
  }
  const starter = createServer(async (_request, response) => {
    try {
      started ??= start()
      response.end((await started).url())
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  }).listen(0, '127.0.0.1')
  await once(starter, 'listening')
  const address = starter.address()
  if (address === null || typeof address === 'string') throw new Error('The starter has no port.')
  project.provide('postgresStarter', `http://127.0.0.1:${address.port}`)
  return async () => {
    starter.close()
    // Its data are deleted, so it need not write them.
    await (await started?.catch(() => null))?.stop('SIGQUIT')
    cluster?.remove()
  }
}
