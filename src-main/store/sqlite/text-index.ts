import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { makePrivate, suffixes } from './files.ts'
import { fold, searchable } from './fold.ts'
import {
  coveringTrigrams,
  longGrams,
  matchAll,
  scopeTerm,
  scopeTrigrams,
  scopeWords,
  tokenizable,
} from './grams.ts'
import type { Candidate, Scope } from './log-reader.ts'
import { integer } from './stored-text.ts'
import { type Transaction, transactionsOn } from './transaction.ts'

/** Raised when the tables or the terms change; the index is then built anew. */
const version = 1

/** What FTS5 keeps of a row: neither text nor positions, only which terms it holds. */
const contentless = "content='', contentless_delete=1, detail=none"

export type IndexRow = Candidate & { readonly connection: number }
/** How to find the candidates of a search. */
export type Lookup = { readonly table: 'words' | 'trigrams'; readonly match: string }

/**
 * Finds rows by name and by text. All of it is derived from the log, in a file of its own (`<log>.index`):
 * losing it costs time only, so its commits wait for no disk, and a damaged one is deleted and built anew.
 * It covers rows up to `watermark`; those above are for the searcher to look at one by one. It may still hold
 * rows that the log no longer has, until `sweep` comes by them.
 */
export class TextIndex {
  readonly #file
  readonly #identity
  #database: DatabaseSync
  #statements: Statements
  #watermark = -1
  #rows = 0

  /** @param identity of the log, so that an index of another one is not taken for its own. */
  constructor(log: string, identity: string, newestSeq: number) {
    this.#file = `${log}.index`
    this.#identity = identity
    try {
      this.#database = openIndex(this.#file)
      this.#statements = new Statements(this.#database)
      this.#load()
      if (this.#watermark > newestSeq) throw new Error('The index is of a later state of the log.')
    } catch {
      this.#database = this.#recreate()
      this.#statements = new Statements(this.#database)
    }
  }

  /** Rows with a seq up to this one are in the index. */
  get watermark(): number {
    return this.#watermark
  }

  /** How many rows it holds, deleted ones included. */
  get rows(): number {
    return this.#rows
  }

  /** @returns null when the index cannot narrow this search down. */
  lookup(scope: Scope, name: string | null, text: string): Lookup | null {
    const folded = fold(text)
    const grams = longGrams(folded)
    if (grams.length > 0)
      return { table: 'words', match: matchAll(grams, scopeTerm(scopeWords, scope, name)) }
    const trigrams = coveringTrigrams(folded)
    if (trigrams.length > 0) {
      return { table: 'trigrams', match: matchAll(trigrams, scopeTerm(scopeTrigrams, scope, name)) }
    }
    return name === null ? null : { table: 'words', match: matchAll([], scopeTerm(scopeWords, scope, name)) }
  }

  /** Newest first: seqs of rows that may be wanted. */
  find({ table, match }: Lookup, before: number, limit: number): number[] {
    return this.#statements[table].find.all(match, before, limit).map(row => integer(row.rowid))
  }

  /** Takes in rows that follow the watermark, oldest first, as far as `upTo`. */
  add(rows: Iterable<IndexRow>, upTo: () => number): void {
    let added = 0
    this.#transaction(() => {
      for (const { seq, connection, name, body } of rows) {
        const text = searchable(body)
        const scope = [scopeTrigrams.connection(connection), scopeTrigrams.name(connection, name)]
        const words = [
          scopeWords.connection(connection),
          scopeWords.name(connection, name),
          ...longGrams(text),
        ]
        this.#statements.trigrams.insert.run(seq, `${scope.join('\n')}\n${tokenizable(text)}`)
        this.#statements.words.insert.run(seq, words.join(' '))
        added++
      }
      this.#statements.save.run(upTo(), this.#rows + added)
    })
    this.#watermark = upTo()
    this.#rows += added
  }

  /** @returns seqs of rows that the index holds, oldest first. */
  seqsAbove(seq: number, limit: number): number[] {
    return this.#statements.seqs.all(seq, limit).map(row => integer(row.id))
  }

  delete(seqs: readonly number[]): void {
    if (seqs.length === 0) return
    this.#transaction(() => {
      for (const seq of seqs) {
        this.#statements.trigrams.delete.run(seq)
        this.#statements.words.delete.run(seq)
      }
      this.#statements.save.run(this.#watermark, this.#rows - seqs.length)
    })
    this.#rows -= seqs.length
  }

  /** Deletes all and begins anew. */
  rebuild(): void {
    this.#database.close()
    this.#database = this.#recreate()
    this.#statements = new Statements(this.#database)
  }

  close(): void {
    this.#database.close()
  }

  get #transaction(): Transaction {
    return this.#statements.transaction
  }

  #load(): void {
    const state = this.#statements.load.get()
    if (state?.identity !== this.#identity) throw new Error('The index belongs to another log.')
    this.#watermark = integer(state.watermark)
    this.#rows = integer(state.rows)
  }

  #recreate(): DatabaseSync {
    for (const suffix of suffixes) rmSync(this.#file + suffix, { force: true })
    const database = openIndex(this.#file)
    database.prepare('INSERT INTO state VALUES (1, ?, -1, 0)').run(this.#identity)
    this.#watermark = -1
    this.#rows = 0
    return database
  }
}

class Statements {
  readonly transaction
  readonly trigrams
  readonly words
  readonly seqs
  readonly save
  readonly load

  constructor(database: DatabaseSync) {
    const table = (name: string) => ({
      insert: database.prepare(`INSERT INTO ${name} (rowid, text) VALUES (?, ?)`),
      delete: database.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
      find: database.prepare(
        `SELECT rowid FROM ${name} WHERE ${name} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
      ),
    })
    this.transaction = transactionsOn(database)
    this.trigrams = table('trigrams')
    this.words = table('words')
    this.seqs = database.prepare('SELECT id FROM words_docsize WHERE id > ? ORDER BY id LIMIT ?')
    this.save = database.prepare('UPDATE state SET watermark = ?, rows = ?')
    this.load = database.prepare('SELECT identity, watermark, rows FROM state')
  }
}

function openIndex(file: string): DatabaseSync {
  makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 1000 })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000')
    database.exec('PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY')
    const found = integer(database.prepare('PRAGMA user_version').get()?.user_version)
    if (found !== version) create(database, found)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function create(database: DatabaseSync, found: number): void {
  if (found !== 0) throw new Error('The index is of another version.')
  database.exec(`
    BEGIN IMMEDIATE;
    CREATE VIRTUAL TABLE trigrams USING fts5(text, ${contentless}, tokenize='trigram case_sensitive 1');
    CREATE VIRTUAL TABLE words USING fts5(text, ${contentless}, tokenize='ascii');
    CREATE TABLE state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      identity TEXT NOT NULL,
      watermark INTEGER NOT NULL,
      rows INTEGER NOT NULL
    ) STRICT;
    PRAGMA user_version = ${version};
    COMMIT`)
}
