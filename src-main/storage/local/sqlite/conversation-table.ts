import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  ConversationBounds,
  ConversationItem,
  ConversationPage,
  ConversationQuery,
  ConversationWrite,
  StoredConversation,
} from '#main/storage/conversations.ts'
import { prepareAll, transactionsOn } from './own-database.ts'
import { fromStored, integer, toStored } from './stored-text.ts'

/** Bytes of conversations that one page of a search reads. */
const searchBudget = 32 * 1024 * 1024

const statements = {
  insert:
    'INSERT INTO conversations (number, workspace, updated, bytes, head, text) VALUES (?, ?, ?, ?, ?, ?)',
  update: 'UPDATE conversations SET updated = ?, bytes = ?, head = ?, text = ? WHERE number = ?',
  put: 'INSERT OR REPLACE INTO conversation_items (conversation, message, part, body, text) VALUES (?, ?, ?, ?, ?)',
  cut: 'DELETE FROM conversation_items WHERE conversation = ? AND message >= ?',
  list: `
    SELECT * FROM conversations WHERE (?1 IS NULL OR updated < ?1) AND (?2 IS NULL OR workspace = ?2)
    ORDER BY updated DESC`,
  get: 'SELECT * FROM conversations WHERE number = ?',
  items:
    'SELECT message, part, body, text FROM conversation_items WHERE conversation = ? ORDER BY message, part',
  search: 'SELECT 1 FROM conversation_items WHERE conversation = ? AND instr(text, ?) > 0 LIMIT 1',
  newest: 'SELECT coalesce(max(updated), 0) AS number FROM conversations',
  remove: 'DELETE FROM conversations WHERE number = ?',
  workspaces: 'SELECT DISTINCT workspace FROM conversations',
  ofWorkspace: 'SELECT number FROM conversations WHERE workspace = ?',
  beyondCount: 'SELECT number FROM conversations WHERE workspace = ? ORDER BY updated DESC LIMIT -1 OFFSET ?',
  beyondAge: 'SELECT number FROM conversations WHERE updated < ?',
  beyondBytes: `
    SELECT number FROM (
      SELECT number, sum(bytes) OVER (ORDER BY updated DESC) AS total FROM conversations)
    WHERE total > ?`,
}

/**
 * Creates the access to the conversations in SQLite. Each method is one transaction, or throws SQLite's error and changes
 * nothing.
 */
export function createConversationTable(database: DatabaseSync) {
  const transaction = transactionsOn(database)
  const on = prepareAll(database, statements)

  const contains = (conversation: StoredConversation, text: string) =>
    conversation.text.includes(text) || on.search.get(conversation.number, toStored(text)) !== undefined

  function deleteOne(number: number): boolean {
    on.cut.run(number, 0)
    return on.remove.run(number).changes > 0
  }

  return {
    /** Returns the largest number of a change; 0 for none. */
    newest: () => integer(on.newest.get()?.number),
    create(conversation: StoredConversation, { mostPerWorkspace, mostBytes, oldest }: ConversationBounds) {
      const { number, workspaceId, updated, head, text, bytes } = conversation
      transaction(() => {
        on.insert.run(number, workspaceId, updated, bytes, toStored(head), toStored(text))
        const gone = [
          ...on.beyondCount.all(workspaceId, mostPerWorkspace),
          ...on.beyondAge.all(oldest),
          ...on.beyondBytes.all(mostBytes),
        ]
        for (const row of gone) deleteOne(integer(row.number))
      })
    },
    write({ conversation, keepMessages, items }: ConversationWrite) {
      const { number, updated, head, text, bytes } = conversation
      return transaction(() => {
        if (on.update.run(updated, bytes, toStored(head), toStored(text), number).changes === 0) return false
        on.cut.run(number, keepMessages)
        for (const { message, part, body, text } of items)
          on.put.run(number, message, part, toStored(body), toStored(text))
        return true
      })
    },
    list({ workspaceId, text, before, limit }: ConversationQuery): ConversationPage {
      const conversations: StoredConversation[] = []
      let read = 0
      let last: number | null = null
      for (const row of on.list.iterate(before ?? null, workspaceId ?? null)) {
        if (conversations.length === limit || read > searchBudget) return { conversations, nextBefore: last }
        const conversation = conversationOf(row)
        last = conversation.updated
        if (text !== undefined) read += conversation.bytes
        if (text === undefined || contains(conversation, text)) conversations.push(conversation)
      }
      return { conversations, nextBefore: null }
    },
    get(number: number) {
      const row = on.get.get(number)
      if (row === undefined) return null
      return { conversation: conversationOf(row), items: on.items.all(number).map(itemOf) }
    },
    remove: (number: number) => transaction(() => deleteOne(number)),
    keepOnly(workspaceIds: readonly string[]) {
      const wanted = new Set(workspaceIds)
      transaction(() => {
        for (const row of on.workspaces.all())
          if (!wanted.has(fromStored(row.workspace)))
            for (const one of on.ofWorkspace.all(fromStored(row.workspace))) deleteOne(integer(one.number))
      })
    },
  }
}

type Row = Record<string, SQLOutputValue>

function conversationOf(row: Row): StoredConversation {
  return {
    number: integer(row.number),
    workspaceId: fromStored(row.workspace),
    updated: integer(row.updated),
    bytes: integer(row.bytes),
    head: fromStored(row.head),
    text: fromStored(row.text),
  }
}

function itemOf(row: Row): ConversationItem {
  return {
    message: integer(row.message),
    part: integer(row.part),
    body: fromStored(row.body),
    text: fromStored(row.text),
  }
}
