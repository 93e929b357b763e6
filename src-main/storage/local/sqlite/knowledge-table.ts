import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { StringDecoder } from 'node:string_decoder'
import { isWhole, maxWords, normalizedWord, wordsIn } from '#main/lib/query-words.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import {
  type AgentFiles,
  type AgentScope,
  type KnowledgeBounds,
  type KnowledgeSearch,
  readerVersion,
  type StagedFile,
  type StoredMatch,
  type StoredPassage,
  type StoredText,
  type TextRange,
} from '#main/storage/knowledge.ts'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { fromStored, integer } from '../../rows/stored-text.ts'
import { prepareAll, type Transaction, transactionsOn } from './own-database.ts'

const pieceBytes = 256 * 1024
/** How often the words of a search may be in all texts together: what takes the time. */
const maxOccurrences = 20_000
/** Words that stand for the beginning of one that is too common. */
const maxTerms = 20

/** A match of a search, with its file as JSON. */
export type MatchRow = Omit<StoredMatch, 'file'> & { readonly file: string }

/** Begin and end a word that was found. Stored texts have no control characters but line breaks. */
const [matchStart, matchEnd] = ['\u0002', '\u0003']

const found = `
    SELECT files.file, passages.number, passages.first, passages.last, passage_texts.text,
      snippet(passage_texts, 1, '${matchStart}', '${matchEnd}', '…', 24) AS snippet
    FROM passage_texts
      JOIN passages ON passages.id = passage_texts.rowid
      JOIN files ON files.number = passages.file
    WHERE passage_texts MATCH ? AND workspace = ? AND agent = ?`

const statements = {
  insert: 'INSERT INTO files (id, workspace, agent, name, sha256, bytes, file) VALUES (?, ?, ?, ?, ?, ?, ?)',
  same: 'SELECT file FROM files WHERE workspace = ? AND agent = ? AND sha256 = ? AND name = ?',
  used: 'SELECT count(*) AS files, coalesce(sum(bytes), 0) AS bytes FROM files WHERE workspace = ? AND agent = ?',
  update: 'UPDATE files SET file = ? WHERE number = ?',
  pieces: 'SELECT bytes FROM contents WHERE file = ? ORDER BY piece',
  digest: 'SELECT sha256 FROM files WHERE number = ?',
  all: 'SELECT id, workspace, agent, name, sha256, bytes, file FROM files ORDER BY number',
  readEarlier: `SELECT id FROM files WHERE coalesce(file ->> 'reader', 0) < ${readerVersion} ORDER BY number`,
  addPiece: 'INSERT INTO contents (file, piece, bytes) VALUES (?, ?, ?)',
  addPassage: 'INSERT INTO passages (file, number, first, last) VALUES (?, ?, ?, ?)',
  addText: 'INSERT INTO passage_texts (rowid, scope, text) VALUES (?, ?, ?)',
  list: 'SELECT number, file FROM files WHERE workspace = ? AND agent = ? ORDER BY number DESC',
  agents: `
    SELECT workspace, agent, count(*) AS files,
      min(file ->> 'addedAt') AS first, max(file ->> 'addedAt') AS last
    FROM files GROUP BY workspace, agent ORDER BY workspace, agent`,
  get: 'SELECT number, file FROM files WHERE id = ?',
  // Some may be lost, so this is not their count.
  count: 'SELECT coalesce(max(number) + 1, 0) AS passages FROM passages WHERE file = ?',
  at: 'SELECT min(number) AS number FROM passages WHERE file = ? AND last >= ?',
  passages: `
    SELECT number, first, last, text FROM passages JOIN passage_texts ON passage_texts.rowid = passages.id
    WHERE file = ? AND number >= ? ORDER BY number LIMIT ?`,
  search: `${found} ORDER BY bm25(passage_texts, 0, 1), passages.id LIMIT ?`,
  searchUnranked: `${found} LIMIT ?`,
  occurrences: `
    SELECT count(*) AS count FROM (SELECT 1 FROM temp.words WHERE term >= ? AND term < ? LIMIT ${maxOccurrences + 1})`,
  terms: `
    SELECT DISTINCT term FROM (SELECT term FROM temp.words WHERE term >= ? AND term < ? LIMIT ${maxOccurrences})
    LIMIT ${maxTerms}`,
  elsewhere: 'SELECT number FROM files WHERE workspace NOT IN (SELECT value FROM json_each(?))',
  removeTexts: 'DELETE FROM passage_texts WHERE rowid IN (SELECT id FROM passages WHERE file = ?)',
  removePassages: 'DELETE FROM passages WHERE file = ?',
  removePieces: 'DELETE FROM contents WHERE file = ?',
  remove: 'DELETE FROM files WHERE number = ?',
}

/**
 * The knowledge base in SQLite. Each method is one transaction, or throws SQLite's error and changes nothing. Files are
 * returned as JSON, because zod would double the time to start the thread.
 */
export class KnowledgeTable {
  readonly #transaction: Transaction
  readonly #statements

  constructor(database: DatabaseSync) {
    database.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'passage_texts', 'instance')")
    this.#transaction = transactionsOn(database)
    this.#statements = prepareAll(database, statements)
  }

  add(
    file: KnowledgeFile,
    { path, textPath }: Pick<StagedFile, 'path' | 'textPath'>,
    { mostFiles, mostBytes }: KnowledgeBounds,
  ): string | null {
    const { workspaceId, agentId, name, sha256, bytes } = file
    const on = this.#statements
    return this.#transaction(() => {
      const same = on.same.get(workspaceId, agentId, sha256, name)
      if (same !== undefined) return fileOf(same)
      const used = on.used.get(workspaceId, agentId)
      if (integer(used?.files) >= mostFiles || integer(used?.bytes) + bytes > mostBytes) return null
      const json = toJson(file)
      const stored = on.insert.run(file.fileId, workspaceId, agentId, name, sha256, bytes, json)
      const number = Number(stored.lastInsertRowid)
      this.#addContents(number, path)
      this.#addTexts(number, file, textPath)
      return json
    })
  }

  /** Writes the bytes of a file to a path. Returns whether there is such a file, and all its bytes are those added. */
  copy(fileId: string, path: string): boolean {
    const number = this.#numberOf(fileId)
    if (number === none) return false
    const digest = createHash('sha256')
    const target = openSync(path, 'w', 0o600)
    try {
      for (const { bytes } of this.#statements.pieces.iterate(number)) {
        if (!(bytes instanceof Uint8Array)) continue
        appendFileSync(target, bytes)
        digest.update(bytes)
      }
    } finally {
      closeSync(target)
    }
    return digest.digest('hex') === this.#statements.digest.get(number)?.sha256
  }

  reread(file: KnowledgeFile, staged: Pick<StagedFile, 'textPath'> | null): boolean {
    return this.#transaction(() => {
      const number = this.#numberOf(file.fileId)
      if (number === none) return false
      this.#statements.update.run(toJson(file), number)
      if (staged === null) return true
      this.#deleteTexts(number)
      this.#addTexts(number, file, staged.textPath)
      return true
    })
  }

  /** Returns the columns of all files, as JSON, with what is stored about them. */
  all(): { columns: string; file: string }[] {
    return this.#statements.all.all().map(({ file, id, workspace, agent, name, sha256, bytes }) => ({
      columns: JSON.stringify({ fileId: id, workspaceId: workspace, agentId: agent, name, sha256, bytes }),
      file: fromStored(file),
    }))
  }

  /** Replaces what is stored about a file, so that it is read again. */
  replaceFacts(file: KnowledgeFile): void {
    this.#statements.update.run(JSON.stringify(file), this.#numberOf(file.fileId))
  }

  readEarlier(): string[] {
    return this.#statements.readEarlier.all().map(({ id }) => String(id))
  }

  list({ workspaceId, agentId }: AgentScope): string[] {
    return this.#statements.list.all(workspaceId, agentId).map(fileOf)
  }

  agents(): AgentFiles[] {
    return this.#statements.agents.all().map(row => ({
      workspaceId: String(row.workspace),
      agentId: String(row.agent),
      files: integer(row.files),
      firstAddedAt: String(row.first),
      lastAddedAt: String(row.last),
    }))
  }

  get(fileId: string): string | null {
    const row = this.#statements.get.get(fileId)
    return row === undefined ? null : fileOf(row)
  }

  text(fileId: string, { from, at, limit }: TextRange): StoredText {
    const on = this.#statements
    const number = this.#numberOf(fileId)
    const total = integer(on.count.get(number)?.passages)
    const start = at === undefined ? from : integer(on.at.get(number, at)?.number ?? total)
    const passages = on.passages.all(number, start, limit).map(passageOf)
    const next = (passages.at(-1)?.index ?? total) + 1
    return { passages, total, next: next < total ? next : null }
  }

  search({ query, fileId, limit, ...scope }: KnowledgeSearch): MatchRow[] {
    const words = wordsIn(query).slice(0, maxWords)
    const within = fileId === undefined ? wordOf(scope) : wordOfFile(this.#numberOf(fileId))
    if (words.length === 0) return []
    const { patterns, isRanked } = this.#patternsOf(words)
    const search = this.#statements[isRanked ? 'search' : 'searchUnranked']
    for (const operator of [' AND ', ' OR ']) {
      const pattern = `scope : ${within} AND text : (${patterns.join(operator)})`
      const found = search.all(pattern, scope.workspaceId, scope.agentId, limit)
      if (found.length > 0) return found.map(matchOf)
    }
    return []
  }

  /**
   * Returns what to search for. Common words tell little and take long, so the rarest are taken, up to a number of
   * occurrences. If all are common, the search finds the first passages that have them, instead of the best.
   */
  #patternsOf(words: readonly string[]): { patterns: string[]; isRanked: boolean } {
    const counted = [...new Set(words.map(normalizedWord))]
      .map(word => ({ word, count: integer(this.#statements.occurrences.get(...rangeOf(word))?.count) }))
      .sort((a, b) => a.count - b.count)
    let left = maxOccurrences
    const rare = counted.filter(({ count }) => {
      left -= count
      return left >= 0
    })
    // Quoted, so that no word is an operator.
    if (rare.length > 0)
      return {
        patterns: rare.map(({ word }) => (isWhole(word) ? `"${word}"` : `"${word}" *`)),
        isRanked: true,
      }
    const patterns = counted.map(({ word }) => {
      const terms = this.#statements.terms.all(...rangeOf(word)).map(({ term }) => fromStored(term))
      return `(${[...new Set([word, ...terms])].map(term => `"${term}"`).join(' OR ')})`
    })
    return { patterns, isRanked: false }
  }

  remove(fileId: string): boolean {
    return this.#transaction(() => {
      const number = this.#numberOf(fileId)
      if (number === none) return false
      this.#delete(number)
      return true
    })
  }

  removeAgent({ workspaceId, agentId }: AgentScope): number {
    return this.#transaction(() => {
      const rows = this.#statements.list.all(workspaceId, agentId)
      for (const row of rows) this.#delete(integer(row.number))
      return rows.length
    })
  }

  /** Returns whether there were others. */
  keepOnly(workspaceIds: readonly string[]): boolean {
    const rows = this.#statements.elsewhere.all(JSON.stringify(workspaceIds))
    if (rows.length === 0) return false
    this.#transaction(() => {
      for (const row of rows) this.#delete(integer(row.number))
    })
    return true
  }

  #numberOf(fileId: string): number {
    return integer(this.#statements.get.get(fileId)?.number ?? none)
  }

  #addContents(number: number, path: string): void {
    let index = 0
    for (const piece of piecesOf(path)) this.#statements.addPiece.run(number, index++, piece)
  }

  #addTexts(number: number, file: AgentScope, textPath: string): void {
    const { addPassage, addText } = this.#statements
    const scope = scopeOf(file, number)
    let index = 0
    for (const line of linesOf(textPath)) {
      const [first, last, text]: readonly unknown[] = JSON.parse(line)
      const passage = addPassage.run(number, index++, integer(first), integer(last))
      addText.run(passage.lastInsertRowid, scope, fromStored(text))
    }
  }

  #deleteTexts(number: number): void {
    const { removeTexts, removePassages } = this.#statements
    for (const statement of [removeTexts, removePassages]) statement.run(number)
  }

  #delete(number: number): void {
    this.#deleteTexts(number)
    const { removePieces, remove } = this.#statements
    for (const statement of [removePieces, remove]) statement.run(number)
  }
}

/** Yields a file in pieces. Each is only valid until the next, because they share their memory. */
function* piecesOf(path: string): Generator<Buffer> {
  const source = openSync(path, 'r')
  try {
    const piece = Buffer.alloc(pieceBytes)
    for (;;) {
      const length = readSync(source, piece)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } finally {
    closeSync(source)
  }
}

/** Yields the lines of a text that ends in a line break; the whole text could take much memory. */
function* linesOf(path: string): Generator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for (const piece of piecesOf(path)) {
    const lines = (rest + decoder.write(piece)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

const toJson = (file: KnowledgeFile) => JSON.stringify({ ...file, reader: readerVersion })

/** No file has this number. */
const none = 0

/** Returns the word in `scope` that all passages of an agent have. */
const wordOf = ({ workspaceId, agentId }: AgentScope) =>
  `a${sha256Hex(`${workspaceId}/${agentId}`).slice(0, 32)}`
const wordOfFile = (number: number) => `f${number}`
/** Returns the `scope` of the passages of a file. */
export const scopeOf = (agent: AgentScope, number: number) => `${wordOf(agent)} ${wordOfFile(number)}`

/** Returns the words that begin with a word, as the first of them and the first after them. */
const rangeOf = (word: string) => [word, isWhole(word) ? `${word}\0` : `${word}\u{10ffff}`] as const

type Row = Record<string, SQLOutputValue>

const fileOf = (row: Row): string => fromStored(row.file)

function passageOf(row: Row): StoredPassage {
  return {
    index: integer(row.number),
    first: integer(row.first),
    last: integer(row.last),
    text: fromStored(row.text),
  }
}

function matchOf(row: Row): MatchRow {
  const pieces = fromStored(row.snippet).split(matchStart)
  const snippet = pieces.flatMap((piece, index) => {
    if (index === 0) return [{ text: piece, isMatch: false }]
    const [text = '', after = ''] = piece.split(matchEnd)
    return [
      { text, isMatch: true },
      { text: after, isMatch: false },
    ]
  })
  return { ...passageOf(row), file: fileOf(row), snippet: snippet.filter(({ text }) => text !== '') }
}
