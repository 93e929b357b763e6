import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createBus } from '#main/lib/bus.ts'
import { maxWords, wordsIn } from '#main/lib/query-words.ts'
import { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import { type KnowledgeBounds, type KnowledgeStore, readerVersion, type StoredPassage } from '../knowledge.ts'
import { knowledgeBounds } from '../knowledge-bounds.ts'
import { createStagedFiles, throwUnavailable } from '../staged-files.ts'
import type { Connection, Row, Statement } from './connect.ts'
import { indexed, queryOf, snippetOf, termOf, vectorOf, wordOfAgent, wordOfFile } from './passage-words.ts'
import { PerServer } from './per-server.ts'
import type { Pool } from './pool.ts'
import { chunksOf, passagesIn } from './read-passages.ts'
import { notify, type PostgresSignals } from './signals.ts'
import { fromStored, toStored } from './stored-text.ts'
import { createUploads } from './uploads.ts'

/** Milliseconds between two polls of what other nodes have changed. */
const pollEvery = 1000
const pieceBytes = 256 * 1024
/** In how many passages the words of a search may be in all: ranking those takes the time. */
const mostRanked = 20_000
const topic = 'knowledge'

type KnowledgeOptions = {
  readonly pool: Pool
  readonly signals: Pick<PostgresSignals, 'on'>
  /** A folder of this process alone; emptied now. */
  readonly uploadsFolder: string
  readonly bounds?: Partial<KnowledgeBounds>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}

/** A file that is not added, because there is one like it, or no room. */
class NotAdded {
  readonly existing: KnowledgeFile | null
  constructor(existing: KnowledgeFile | null) {
    this.existing = existing
  }
}

/** Opens the knowledge base in a database. */
export async function openKnowledge(options: KnowledgeOptions): Promise<KnowledgeStore> {
  const { pool, signals, clock, onError } = options
  const bounds = { ...knowledgeBounds, ...options.bounds }
  const files = createStagedFiles(options.uploadsFolder)
  const changes = createBus<void>(onError)
  /** The newest version that was published; null for that of a server which was not read yet. */
  const known = new PerServer((): { version: number | null } => ({ version: null }))
  let isOpen = false
  await files.clear().catch(onError)
  const poll = createCoalescedPoll(look)
  const stopSignals = signals.on(topic, poll)
  const timer = setInterval(() => (changes.hasListeners() ? poll() : undefined), pollEvery).unref()
  await look()
  isOpen = true

  async function look(): Promise<void> {
    let server = 0
    const [head] = await pool.query(version, of => {
      server = of
      return []
    })
    see(Number(head?.version), server)
  }

  function see(newest: number, server: number): void {
    const of = known.of(server)
    if (of.version !== null && !(newest > of.version)) return
    of.version = newest
    if (isOpen) changes.publish()
  }

  /** Changes files in one transaction, and publishes it if anything was changed. */
  async function change<Result>(act: (connection: Connection) => Promise<Result>): Promise<Result> {
    let [changedTo, server] = [0, 0]
    const result = await pool.transaction(async connection => {
      const done = await act(connection)
      if (!done) return done
      const [head] = await connection.query(setVersion)
      changedTo = Number(head?.version)
      server = connection.server
      await notify(connection, topic, String(changedTo))
      return done
    })
    if (changedTo > 0) see(changedTo, server)
    return result
  }

  /** @throws NotAdded */
  async function requireNew(from: Pick<Connection, 'query'>, file: KnowledgeFile, number = 0): Promise<void> {
    const { workspaceId, agentId, name, sha256, bytes } = file
    const agent = [toStored(workspaceId), toStored(agentId)]
    const [same] = await from.query(getSame, [...agent, sha256, toStored(name), number])
    if (same !== undefined) throw new NotAdded(fileOf(same))
    const [used] = await from.query(getUsed, [...agent, number])
    if (Number(used?.files) >= bounds.mostFiles || Number(used?.bytes) + bytes > bounds.mostBytes)
      throw new NotAdded(null)
  }

  async function addPassages(
    connection: Connection,
    number: number,
    file: KnowledgeFile,
    path: string,
  ): Promise<void> {
    const others = [wordOfAgent(file), wordOfFile(number)]
    let index = 0
    for await (const some of chunksOf(passagesIn(path))) {
      const numbers = some.map(() => index++)
      const places = [some.map(({ first }) => first), some.map(({ last }) => last)]
      const texts = [some.map(({ text }) => toStored(text)), some.map(({ text }) => vectorOf(text, others))]
      await connection.query(addRows, [number, numbers, ...places, ...texts])
    }
  }

  async function* contentOf(number: number): AsyncGenerator<Uint8Array> {
    for (let piece = 0; ; piece++) {
      const [row] = await pool.query(getPiece, [number, piece])
      if (!(row?.bytes instanceof Uint8Array)) return
      yield row.bytes
    }
  }

  /**
   * Returns the words that are searched for, and whether the best passages can be found. Common words tell little and take
   * long, so the rarest are taken. If all are common, the search finds the first passages that have them.
   */
  async function wanted(words: readonly string[], within: string) {
    const queries = words.map(word => queryOf([word], '&', within))
    const counts = await pool.query(countPassages, [queries, mostRanked + 1])
    const counted = words
      .map((word, index) => ({ word, count: Number(counts[index]?.count) }))
      .sort((one, other) => one.count - other.count)
    let left = mostRanked
    const rare = counted.filter(({ count }) => {
      left -= count
      return left >= 0
    })
    const isRanked = rare.length > 0
    return { isRanked, chosen: (isRanked ? rare : counted).map(({ word }) => word) }
  }

  return {
    changes,
    receive: files.write.bind(files),
    ...createUploads(pool, files, bounds, clock),
    async add(file, { path, textPath }) {
      const { fileId, workspaceId, agentId, name, sha256, bytes, addedAt } = file
      try {
        await requireNew(pool, file)
        return await change(async connection => {
          const columns = [fileId, workspaceId, agentId, name].map(toStored)
          const facts = [sha256, bytes, addedAt, readerVersion, toJson(file)]
          const [row] = await connection.query(addFile, [...columns, ...facts])
          const number = Number(row?.number)
          let piece = 0
          for await (const some of createReadStream(path, { highWaterMark: pieceBytes }))
            await connection.query(addPiece, [number, piece++, some])
          await addPassages(connection, number, file, textPath)
          // One after another, so that all count those before them.
          await connection.query('SELECT pg_advisory_xact_lock(7236305)')
          await requireNew(connection, file, number)
          return file
        })
      } catch (error) {
        if (error instanceof NotAdded) return error.existing
        return throwUnavailable(error)
      }
    },
    async restage(fileId) {
      const [row] = await pool.query(get, [toStored(fileId)])
      if (row === undefined) return null
      const digest = createHash('sha256')
      async function* digested() {
        for await (const piece of contentOf(Number(row?.number))) {
          digest.update(piece)
          yield piece
        }
      }
      const staged = await files.write(digested())
      if (digest.digest('hex') === row.sha256) return staged
      await staged.discard()
      return null
    },
    reread: (file, staged) =>
      change(async connection => {
        const values = [toStored(file.fileId), readerVersion, toJson(file)]
        const [row] = await connection.query(replaceFile, values)
        if (row === undefined) return false
        if (staged === null) return true
        await connection.query(removePassages, [row.number])
        await addPassages(connection, Number(row.number), file, staged.textPath).catch(throwUnavailable)
        return true
      }),
    readEarlier: async () =>
      (await pool.query(getEarlier, [readerVersion])).map(({ id }) => fromStored(String(id))),
    // The database repairs nothing.
    onRepaired() {},
    list: async ({ workspaceId, agentId }) =>
      (await pool.query(list, [toStored(workspaceId), toStored(agentId)])).map(fileOf),
    agents: async () =>
      (await pool.query(agents)).map(row => ({
        workspaceId: fromStored(String(row.workspace)),
        agentId: fromStored(String(row.agent)),
        files: Number(row.files),
        firstAddedAt: String(row.first),
        lastAddedAt: String(row.last),
      })),
    async get(fileId) {
      const [row] = await pool.query(get, [toStored(fileId)])
      return row === undefined ? null : fileOf(row)
    },
    async text(fileId, { from, at, limit }) {
      const [row] = await pool.query(measure, [toStored(fileId), at ?? null])
      const total = Number(row?.total ?? 0)
      const start = at === undefined ? from : Number(row?.start ?? total)
      const passages = (await pool.query(read, [row?.file ?? 0, start, limit])).map(passageOf)
      const next = (passages.at(-1)?.index ?? total) + 1
      return { passages, total, next: next < total ? next : null }
    },
    async search({ query, fileId, limit, ...scope }) {
      const words = [...new Set(wordsIn(query).slice(0, maxWords).map(indexed))].filter(word => word !== '')
      if (words.length === 0) return []
      const [file] = fileId === undefined ? [] : await pool.query(get, [toStored(fileId)])
      if (fileId !== undefined && file === undefined) return []
      const within = file === undefined ? wordOfAgent(scope) : wordOfFile(Number(file.number))
      const { chosen, isRanked } = await wanted(words, within)
      const rank = chosen.map(termOf).join(' | ')
      const agent = [toStored(scope.workspaceId), toStored(scope.agentId)]
      for (const operator of ['&', '|'] as const) {
        const values = [queryOf(chosen, operator, within), ...agent, limit]
        const found = isRanked
          ? await pool.query(searchRanked, [...values, rank])
          : await pool.query(search, values)
        if (found.length > 0)
          return found.map(row => {
            const passage = passageOf(row)
            return { ...passage, file: fileOf(row), snippet: snippetOf(passage.text, chosen) }
          })
      }
      return []
    },
    remove: fileId =>
      change(async connection => (await connection.query(remove, [toStored(fileId)])).length > 0),
    removeAgent: ({ workspaceId, agentId }) =>
      change(connection => removeAll(connection, numbersOfAgent, [toStored(workspaceId), toStored(agentId)])),
    async keepOnly(workspaceIds) {
      await change(connection => removeAll(connection, numbersElsewhere, [workspaceIds.map(toStored)]))
    },
    async close() {
      stopSignals()
      clearInterval(timer)
      await files.clear()
    },
  }
}

/** Deletes files one by one: all of them might take too long for one statement. Returns how many. */
async function removeAll(
  connection: Connection,
  which: Statement,
  values: readonly unknown[],
): Promise<number> {
  let removed = 0
  for (const { number } of await connection.query(which, values))
    removed += (await connection.query(removeNumber, [number])).length
  return removed
}

const toJson = (file: KnowledgeFile) => JSON.stringify({ ...file, reader: readerVersion })
const fileOf = (row: Row): KnowledgeFile => KnowledgeFile.parse(JSON.parse(String(row.file)))

function passageOf({ index, first, last, text }: Row): StoredPassage {
  return {
    ...{ index: Number(index), first: Number(first), last: Number(last) },
    text: fromStored(String(text)),
  }
}

const version = { name: 'knowledge_version', text: 'SELECT version FROM knowledge_head' }
const setVersion = {
  name: 'set_knowledge_version',
  text: 'UPDATE knowledge_head SET version = version + 1 RETURNING version',
}
const ofAgent = 'workspace = $1 AND agent = $2'
const getSame = {
  name: 'same_knowledge',
  text: `SELECT file FROM knowledge_file WHERE ${ofAgent} AND sha256 = $3 AND name = $4 AND number <> $5`,
}
const getUsed = {
  name: 'used_knowledge',
  text: `SELECT count(*) AS files, coalesce(sum(bytes), 0)::bigint AS bytes FROM knowledge_file
    WHERE ${ofAgent} AND number <> $3`,
}
const addFile = {
  name: 'add_knowledge',
  text: `INSERT INTO knowledge_file (id, workspace, agent, name, sha256, bytes, added_at, reader, file)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number`,
}
const addPiece = {
  name: 'add_knowledge_piece',
  text: 'INSERT INTO knowledge_piece (file, piece, bytes) VALUES ($1, $2, $3)',
}
const addRows = {
  name: 'add_passages',
  text: `INSERT INTO knowledge_passage (file, number, first, last, text, words)
    SELECT $1, u.number, u.first, u.last, u.text, u.words::tsvector
    FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::text[]) AS u(number, first, last, text, words)`,
}
const removePassages = { name: 'remove_passages', text: 'DELETE FROM knowledge_passage WHERE file = $1' }
const replaceFile = {
  name: 'replace_knowledge',
  text: 'UPDATE knowledge_file SET reader = $2, file = $3 WHERE id = $1 RETURNING number',
}
const getPiece = {
  name: 'knowledge_piece',
  text: 'SELECT bytes FROM knowledge_piece WHERE file = $1 AND piece = $2',
}
const getEarlier = {
  name: 'earlier_knowledge',
  text: 'SELECT id FROM knowledge_file WHERE reader < $1 ORDER BY number',
}
const list = {
  name: 'list_knowledge',
  text: `SELECT file FROM knowledge_file WHERE ${ofAgent} ORDER BY number DESC`,
}
const agents = {
  name: 'knowledge_agents',
  text: `SELECT workspace, agent, count(*) AS files, min(added_at) AS first, max(added_at) AS last FROM knowledge_file
    GROUP BY workspace, agent ORDER BY workspace, agent`,
}
const get = { name: 'get_knowledge', text: 'SELECT number, sha256, file FROM knowledge_file WHERE id = $1' }
const measure = {
  name: 'measure_knowledge',
  text: `SELECT f.number AS file,
      (SELECT coalesce(max(number) + 1, 0) FROM knowledge_passage WHERE file = f.number) AS total,
      (SELECT min(number) FROM knowledge_passage WHERE file = f.number AND last >= $2::bigint) AS start
    FROM knowledge_file AS f WHERE id = $1`,
}
const read = {
  name: 'read_knowledge',
  text: `SELECT number AS index, first, last, text FROM knowledge_passage WHERE file = $1 AND number >= $2
    ORDER BY number LIMIT $3`,
}
const countPassages = {
  name: 'count_passages',
  text: `SELECT c.count FROM unnest($1::text[]) WITH ORDINALITY AS q(query, place) CROSS JOIN LATERAL (
      SELECT count(*) AS count FROM (
        SELECT 1 FROM knowledge_passage WHERE words @@ q.query::tsquery LIMIT $2) AS p) AS c
    ORDER BY q.place`,
}
const found = `SELECT f.file, p.number AS index, p.first, p.last, p.text
  FROM knowledge_passage AS p JOIN knowledge_file AS f ON f.number = p.file
  WHERE p.words @@ $1::tsquery AND f.workspace = $2 AND f.agent = $3`
const search = { name: 'search_knowledge', text: `${found} LIMIT $4` }
const searchRanked = {
  name: 'search_knowledge_ranked',
  text: `${found} ORDER BY ts_rank(p.words, $5::tsquery) DESC, p.file, p.number LIMIT $4`,
}
const remove = { name: 'remove_knowledge', text: 'DELETE FROM knowledge_file WHERE id = $1 RETURNING number' }
const numbersOfAgent = {
  name: 'knowledge_numbers_of_agent',
  text: `SELECT number FROM knowledge_file WHERE ${ofAgent}`,
}
const numbersElsewhere = {
  name: 'knowledge_numbers_elsewhere',
  text: 'SELECT number FROM knowledge_file WHERE workspace <> ALL ($1::text[])',
}
const removeNumber = {
  name: 'remove_knowledge_number',
  text: 'DELETE FROM knowledge_file WHERE number = $1 RETURNING number',
}
