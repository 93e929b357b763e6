import { z } from 'zod'
import { DamagedContent } from '../durable-json-file.ts'
import type { Migration } from './migration.ts'

/** As much of version 1 as this step touches. */
const File1 = z.looseObject({ connections: z.array(z.looseObject({})) })

/** Connections have actions, and the file keeps environment variables; in version 1 there was none of either. */
export const actionsAndEnvironment: Migration = {
  from: 1,
  to: 2,
  name: 'actions and environment variables',
  migrate(file) {
    const parsed = File1.safeParse(file)
    if (!parsed.success) throw new DamagedContent('connections: it must be a list of objects')
    const connections = parsed.data.connections.map(connection => ({ ...connection, actions: [] }))
    return { ...parsed.data, schemaVersion: 2, environment: [], connections }
  },
}
