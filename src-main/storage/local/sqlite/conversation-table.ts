import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  ConversationBounds,
  ConversationItem,
  ConversationPage,
  ConversationQuery,
  ConversationWrite,
  StoredConversation,
} from '#main/storage/conversations.ts'
import { fromStored, integer, toStored } from '../../rows/stored-text.ts'
import { tables } from '../../rows/tables.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'
import { sqliteRow } from './row-codec.ts'

/** Bytes of conversations that one page of a search reads. */
const searchBudget = 32 * 1024 * 1024

const statements = {
  insert:
    'INSERT INTO conversations (number, workspace, updated, bytes, head, text) VALUES (?, ?, ?, ?, ?, ?)',
  update:
    'UPDATE conversations SET updated = ?, bytes = ?, head = ?, text = ? WHERE number = ? AND updated = ?',
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

/** A page without leases. */
export type StoredPage = Pick<ConversationPage, 'nextBefore'> & {
  readonly conversations: StoredConversation[]
}

/** The conversations in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. */
export class ConversationTable {
  readonly #transaction: Transaction
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
  }

  /** Returns the largest number of a change; 0 for none. */
  newest(): number {
    return integer(this.#statements.newest.get()?.number)
  }

  /** Returns the numbers of the conversations beyond the bounds, which are deleted. */
  create(
    conversation: StoredConversation,
    { mostPerWorkspace, mostBytes, oldest }: ConversationBounds,
  ): number[] {
    const { number, workspaceId, updated, head, text, bytes } = conversation
    const { insert, beyondCount, beyondBytes, beyondAge } = this.#statements
    return this.#transaction(() => {
      insert.run(number, workspaceId, updated, bytes, toStored(head), toStored(text))
      const gone = [
        ...beyondCount.all(workspaceId, mostPerWorkspace),
        ...beyondAge.all(oldest),
        ...beyondBytes.all(mostBytes),
      ]
      const numbers = [...new Set(gone.map(row => integer(row.number)))]
      for (const one of numbers) this.#delete(one)
      return numbers
    })
  }

  write(
    { conversation, keepMessages, items }: ConversationWrite,
    expected: number,
  ): 'written' | 'changed' | 'gone' {
    const { number, updated, head, text, bytes } = conversation
    const { update, get, cut, put } = this.#statements
    return this.#transaction(() => {
      if (update.run(updated, bytes, toStored(head), toStored(text), number, expected).changes === 0)
        return get.get(number) === undefined ? 'gone' : 'changed'
      cut.run(number, keepMessages)
      for (const item of items)
        put.run(number, item.message, item.part, toStored(item.body), toStored(item.text))
      return 'written'
    })
  }

  list({ workspaceId, text, before, limit }: ConversationQuery): StoredPage {
    const conversations: StoredConversation[] = []
    let read = 0
    let last: number | null = null
    for (const row of this.#statements.list.iterate(before ?? null, workspaceId ?? null)) {
      if (conversations.length === limit || read > searchBudget) return { conversations, nextBefore: last }
      const conversation = conversationOf(row)
      last = conversation.updated
      if (text === undefined) conversations.push(conversation)
      else {
        read += conversation.bytes
        if (this.#contains(conversation, text)) conversations.push(conversation)
      }
    }
    return { conversations, nextBefore: null }
  }

  get(number: number): { conversation: StoredConversation; items: ConversationItem[] } | null {
    const row = this.#statements.get.get(number)
    if (row === undefined) return null
    return { conversation: conversationOf(row), items: this.#statements.items.all(number).map(readItem) }
  }

  remove(number: number): boolean {
    return this.#transaction(() => this.#delete(number))
  }

  /** Returns the numbers of those that were deleted. */
  keepOnly(workspaceIds: readonly string[]): number[] {
    const wanted = new Set(workspaceIds)
    return this.#transaction(() => {
      const unwanted = this.#statements.workspaces
        .all()
        .map(row => fromStored(row.workspace))
        .filter(workspaceId => !wanted.has(workspaceId))
      const numbers = unwanted.flatMap(workspaceId =>
        this.#statements.ofWorkspace.all(workspaceId).map(row => integer(row.number)),
      )
      for (const number of numbers) this.#delete(number)
      return numbers
    })
  }

  #contains(conversation: StoredConversation, text: string): boolean {
    return (
      conversation.text.includes(text) ||
      this.#statements.search.get(conversation.number, toStored(text)) !== undefined
    )
  }

  #delete(number: number): boolean {
    this.#statements.cut.run(number, 0)
    return this.#statements.remove.run(number).changes > 0
  }
}

type Row = Record<string, SQLOutputValue>

const { read: readConversation } = sqliteRow(tables.conversations)
const { conversation: _, ...itemColumns } = tables.conversationItems
const { read: readItem } = sqliteRow(itemColumns)

function conversationOf(row: Row): StoredConversation {
  const { workspace: workspaceId, ...others } = readConversation(row)
  return { ...others, workspaceId }
}
