import { z } from 'zod'
import { DamagedContent } from '../durable-json-file.ts'
import type { Migration } from './migration.ts'

/** As much of version 2 as this step touches. */
const File2 = z.looseObject({
  connections: z.array(z.looseObject({ previousSecret: z.looseObject({}).nullable() })),
})

/** A connection keeps several replaced secrets; version 2 kept one. They are sealed as it was. */
export const oldSecrets: Migration = {
  from: 2,
  to: 3,
  name: 'several old secrets',
  migrate(file) {
    const parsed = File2.safeParse(file)
    if (!parsed.success)
      throw new DamagedContent('connections: each must be an object with previousSecret, an object or null')
    const connections = parsed.data.connections.map(({ previousSecret, ...connection }) => ({
      ...connection,
      oldSecrets: previousSecret === null ? [] : [previousSecret],
    }))
    return { ...parsed.data, schemaVersion: 3, connections }
  },
}
