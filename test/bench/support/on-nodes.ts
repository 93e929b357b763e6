import { type NodeSetup, type Nodes, startNodes } from './nodes.ts'
import { type Database, startDatabase } from './with-nodes.ts'

/** Starts PostgreSQL and nodes on it, and ends them after `use`. @param setupOf as for `startNodes`, with the database's URL. */
export async function onNodes<Result>(
  count: number,
  use: (nodes: Nodes, database: Database) => Promise<Result>,
  setupOf: (index: number, url: string) => NodeSetup = () => ({}),
): Promise<Result> {
  const database = await startDatabase()
  try {
    const nodes = await startNodes(count, database.url, index => setupOf(index, database.url))
    try {
      return await use(nodes, database)
    } finally {
      await nodes.close()
    }
  } finally {
    await database.close()
  }
}
