import { describe } from 'vitest'
import { openConversations } from '#main/storage/postgres/conversations.ts'
import { noPostgres } from '../../support/postgres.ts'
import { describeConversationStore } from '../conversations-contract.ts'
import { emptyDatabase, openNode } from './open-database.ts'

describe.skipIf(noPostgres !== null)('in PostgreSQL', () =>
  describeConversationStore('the conversations', async () => {
    const url = await emptyDatabase()
    const closing: (() => Promise<void>)[] = []
    const open = async () => {
      const node = await openNode(url)
      const store = await openConversations(node.pool, node.signals, Date.now, node.onError)
      closing.push(async () => {
        store.close()
        await node.close()
      })
      return store
    }
    const close = async () => {
      for (const one of closing.splice(0)) await one()
    }
    const handles = [await open(), await open()] as const
    return {
      ...{ handles, close, dispose: close },
      reopen: async () => {
        await close()
        return [await open(), await open()] as const
      },
    }
  }),
)
