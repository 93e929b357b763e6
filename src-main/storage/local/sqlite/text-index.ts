import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fold, searchable } from '../../fold.ts'
import { makePrivate, suffixes } from './files.ts'
import {
  coveringTrigrams,
  longGrams,
  longGramText,
  matchAll,
  scopeTerm,
  scopeTrigrams,
  scopeWords,
  tokenizable,
} from './grams.ts'
import type { Candidate, Scope } from './log-reader.ts'
import { transactionsOn } from './own-database.ts'
import { integer } from './stored-text.ts'

/** Raised when the tables or the terms change; the index is then built anew. */
const version = 1

/** What FTS5 keeps of a row: neither text nor positions, only which terms it holds. */
const contentless = "content='', contentless_delete=1, detail=none"

/** Bytes of a page of FTS5's lists: the less, the less is read to jump forward in a long list. */
const listPage = 1000

export type IndexRow = Candidate & { readonly connection: number }
/** A row of the index: rows are numbered one by one, since FTS5 stores the steps between numbers. */
export type IndexEntry = { readonly doc: number; readonly seq: number }
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
  /** Numbers given to rows so far. */
  #docs = 0

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

  byName(scope: Scope, name: string): Lookup {
    return { table: 'words', match: matchAll([], scopeTerm(scopeWords, scope, name)) }
  }

  /** @param name of the events, or null for any. @returns null when the text is too short for the index. */
  byText(scope: Scope, name: string | null, text: string): Lookup | null {
    const folded = fold(text)
    const grams = [...longGrams(folded)]
    if (grams.length > 0)
      return { table: 'words', match: matchAll(grams, scopeTerm(scopeWords, scope, name)) }
    const trigrams = coveringTrigrams(folded)
    if (trigrams.length === 0) return null
    return { table: 'trigrams', match: matchAll(trigrams, scopeTerm(scopeTrigrams, scope, name)) }
  }

  /** Newest first: seqs of rows that may be wanted. */
  find({ table, match }: Lookup, before: number, limit: number): number[] {
    const older = this.#statements.docBefore.get(before)
    if (!older) return []
    return this.#statements[table].find.all(match, integer(older.doc), limit).map(row => integer(row.seq))
  }

  /** Takes in rows that follow the watermark, oldest first, as far as `upTo`. */
  add(rows: Iterable<IndexRow>, upTo: () => number): void {
    let doc = this.#docs
    this.#statements.transaction(() => {
      for (const row of rows) this.#insert(++doc, row)
      this.#statements.save.run(upTo(), this.#rows + doc - this.#docs, doc)
    })
    this.#watermark = upTo()
    this.#rows += doc - this.#docs
    this.#docs = doc
  }

  /** @returns rows that the index holds, oldest first. */
  entriesAbove(doc: number, limit: number): IndexEntry[] {
    return this.#statements.entries
      .all(doc, limit)
      .map(row => ({ doc: integer(row.doc), seq: integer(row.seq) }))
  }

  delete(entries: readonly IndexEntry[]): void {
    if (entries.length === 0) return
    this.#statements.transaction(() => {
      for (const { doc } of entries) {
        this.#statements.trigrams.delete.run(doc)
        this.#statements.words.delete.run(doc)
        this.#statements.deleteEntry.run(doc)
      }
      this.#statements.save.run(this.#watermark, this.#rows - entries.length, this.#docs)
    })
    this.#rows -= entries.length
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

  #insert(doc: number, { seq, connection, name, body }: IndexRow): void {
    const text = searchable(body)
    const scope = [scopeTrigrams.connection(connection), scopeTrigrams.name(connection, name)]
    const words = [scopeWords.connection(connection), scopeWords.name(connection, name), longGramText(text)]
    this.#statements.insertEntry.run(doc, seq)
    this.#statements.trigrams.insert.run(doc, `${scope.join('\n')}\n${tokenizable(text)}`)
    this.#statements.words.insert.run(doc, words.join(' '))
  }

  #load(): void {
    const state = this.#statements.load.get()
    if (state?.identity !== this.#identity) throw new Error('The index belongs to another log.')
    this.#watermark = integer(state.watermark)
    this.#rows = integer(state.rows)
    this.#docs = integer(state.docs)
  }

  #recreate(): DatabaseSync {
    for (const suffix of suffixes) rmSync(this.#file + suffix, { force: true })
    const database = openIndex(this.#file)
    database.prepare('INSERT INTO state VALUES (1, ?, -1, 0, 0)').run(this.#identity)
    this.#watermark = -1
    this.#rows = 0
    this.#docs = 0
    return database
  }
}

class Statements {
  readonly transaction
  readonly trigrams
  readonly words
  readonly docBefore
  readonly entries
  readonly insertEntry
  readonly deleteEntry
  readonly save
  readonly load

  constructor(database: DatabaseSync) {
    const table = (name: string) => ({
      insert: database.prepare(`INSERT INTO ${name} (rowid, text) VALUES (?, ?)`),
      delete: database.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
      // The cast, since numbers are bound as floating point, which FTS5 does not take for a bound on its row ids.
      find: database.prepare(`
        SELECT seq FROM ${name} CROSS JOIN entries ON doc = ${name}.rowid
        WHERE ${name} MATCH ? AND ${name}.rowid <= CAST(? AS INTEGER) ORDER BY ${name}.rowid DESC LIMIT ?`),
    })
    this.transaction = transactionsOn(database)
    this.trigrams = table('trigrams')
    this.words = table('words')
    this.docBefore = database.prepare('SELECT doc FROM entries WHERE seq < ? ORDER BY seq DESC LIMIT 1')
    this.entries = database.prepare('SELECT doc, seq FROM entries WHERE doc > ? ORDER BY doc LIMIT ?')
    this.insertEntry = database.prepare('INSERT INTO entries VALUES (?, ?)')
    this.deleteEntry = database.prepare('DELETE FROM entries WHERE doc = ?')
    this.save = database.prepare('UPDATE state SET watermark = ?, rows = ?, docs = ?')
    this.load = database.prepare('SELECT identity, watermark, rows, docs FROM state')
  }
}

function openIndex(file: string): DatabaseSync {
  makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 1000 })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000')
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
    INSERT INTO trigrams (trigrams, rank) VALUES ('pgsz', ${listPage});
    INSERT INTO words (words, rank) VALUES ('pgsz', ${listPage});
    CREATE TABLE entries (doc INTEGER PRIMARY KEY, seq INTEGER NOT NULL UNIQUE) STRICT;
    CREATE TABLE state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      identity TEXT NOT NULL,
      watermark INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      docs INTEGER NOT NULL
    ) STRICT;
    PRAGMA user_version = ${version};
    COMMIT`)
}
