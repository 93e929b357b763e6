import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '#main/lib/file-system.ts'
import { normalizeForSearch, searchable } from '../../normalize-for-search.ts'
import { integer } from '../../rows/stored-text.ts'
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
import { DamagedDatabaseError, isDamage, transactionsOn } from './own-database.ts'
import { checkUpTo, problemOf } from './repair.ts'

/** Increased when the tables or the terms change; the index is then rebuilt. */
const version = 1

/** FTS5 stores only which terms a row has, neither text nor positions. */
const contentless = "content='', contentless_delete=1, detail=none"

/** Bytes of a page of FTS5's lists. Small pages make it cheap to skip forward in a long list. */
const listPage = 1000

const schema = `
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
  COMMIT`

export type IndexRow = Candidate & { readonly connection: number }
/** A row of the index. Rows have consecutive numbers, because FTS5 stores the differences between them. */
type IndexEntry = { readonly doc: number; readonly seq: number }
/** A query for the candidates of a search. */
export type Lookup = { readonly table: 'words' | 'trigrams'; readonly match: string }

/**
 * Finds rows by name and by text. The index is derived from the log and has its own file (`<log>.index`). Losing it only
 * costs time, so its commits do not wait for the disk, and a damaged index is deleted and rebuilt. It covers rows up to
 * `watermark`; a search checks later rows one by one. It may still contain rows that the log has deleted, until a sweep
 * removes them.
 *
 * If its file cannot be created, on a full disk for example, the index stays empty in memory: searches then check every
 * row.
 */
export class TextIndex {
  readonly #file
  readonly #identity
  #database: DatabaseSync
  #statements: Statements
  #problem: unknown = null
  #watermark = -1
  #rows = 0
  /** The last number of a row. */
  #docs = 0

  /**
   * @param identity of the log, so that an index of another log is not used.
   * @param onDamage is called if the index was damaged and is rebuilt.
   */
  constructor(log: string, identity: string, newestSeq: number, onDamage: (reason: string) => void) {
    this.#file = `${log}.index`
    this.#identity = identity
    let opened: DatabaseSync | undefined
    try {
      opened = openIndex(this.#file, identity)
      this.#database = opened
      this.#statements = prepare(this.#database)
      this.#load()
      if (this.#watermark > newestSeq) throw new Error('The index is newer than the log.')
      const problem = problemOf(opened, checkUpTo)
      if (problem !== null) throw new DamagedDatabaseError(problem)
    } catch (error) {
      if (isDamage(error)) onDamage(messageOf(error))
      opened?.close()
      this.#database = this.#recreate()
      this.#statements = prepare(this.#database)
    }
  }

  /** Why the index has no file, so that nothing can be added; null if it has one. */
  get problem(): unknown {
    return this.#problem
  }

  /** Rows up to this seq are in the index. */
  get watermark(): number {
    return this.#watermark
  }

  /** The number of rows in the index, including deleted ones. */
  get rows(): number {
    return this.#rows
  }

  byName(scope: Scope, name: string): Lookup {
    return { table: 'words', match: matchAll([], scopeTerm(scopeWords, scope, name)) }
  }

  /** Returns null if the text is too short for the index. @param scope null for all connections. @param name null for any. */
  byText(scope: Scope | null, name: string | null, text: string): Lookup | null {
    const normalized = normalizeForSearch(text)
    const grams = [...longGrams(normalized)]
    if (grams.length > 0)
      return { table: 'words', match: matchAll(grams, scope && scopeTerm(scopeWords, scope, name)) }
    const trigrams = coveringTrigrams(normalized)
    if (trigrams.length === 0) return null
    return { table: 'trigrams', match: matchAll(trigrams, scope && scopeTerm(scopeTrigrams, scope, name)) }
  }

  /** Returns the seqs of candidates, newest first. */
  find({ table, match }: Lookup, before: number, limit: number): number[] {
    const older = this.#statements.docBefore.get(before)
    if (!older) return []
    return this.#statements[table].find.all(match, integer(older.doc), limit).map(row => integer(row.seq))
  }

  /** Adds the rows after the watermark up to `upTo`, oldest first. */
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

  /** Returns rows of the index, oldest first. */
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

  /** Deletes the index and starts a new one, which has a `problem` if its file cannot be created. */
  rebuild(): void {
    this.#database.close()
    this.#database = this.#recreate()
    this.#statements = prepare(this.#database)
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
    this.#watermark = -1
    this.#rows = 0
    this.#docs = 0
    try {
      for (const suffix of suffixes) rmSync(this.#file + suffix, { force: true })
      const database = openIndex(this.#file, this.#identity)
      this.#problem = null
      return database
    } catch (error) {
      this.#problem = error
      return openIndex(':memory:', this.#identity)
    }
  }
}

type Statements = ReturnType<typeof prepare>

function prepare(database: DatabaseSync) {
  const table = (name: string) => ({
    insert: database.prepare(`INSERT INTO ${name} (rowid, text) VALUES (?, ?)`),
    delete: database.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
    // The cast, because numbers are bound as floating point, which FTS5 does not accept as a bound of its row ids.
    find: database.prepare(`
      SELECT seq FROM ${name} CROSS JOIN entries ON doc = ${name}.rowid
      WHERE ${name} MATCH ? AND ${name}.rowid <= CAST(? AS INTEGER) ORDER BY ${name}.rowid DESC LIMIT ?`),
  })
  return {
    transaction: transactionsOn(database),
    trigrams: table('trigrams'),
    words: table('words'),
    docBefore: database.prepare('SELECT doc FROM entries WHERE seq < ? ORDER BY seq DESC LIMIT 1'),
    entries: database.prepare('SELECT doc, seq FROM entries WHERE doc > ? ORDER BY doc LIMIT ?'),
    insertEntry: database.prepare('INSERT INTO entries VALUES (?, ?)'),
    deleteEntry: database.prepare('DELETE FROM entries WHERE doc = ?'),
    save: database.prepare('UPDATE state SET watermark = ?, rows = ?, docs = ?'),
    load: database.prepare('SELECT identity, watermark, rows, docs FROM state'),
  }
}

/** @param identity of the log, for a new index. */
function openIndex(file: string, identity: string): DatabaseSync {
  if (file !== ':memory:') makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 1000 })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000')
    database.exec('PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY')
    const found = integer(database.prepare('PRAGMA user_version').get()?.user_version)
    if (found === 0) {
      database.exec(schema)
      database.prepare('INSERT INTO state VALUES (1, ?, -1, 0, 0)').run(identity)
    } else if (found !== version) throw new Error('The index has another version.')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
