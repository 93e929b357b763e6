import type { AddedPiece, KnowledgeBounds, KnowledgeStore, KnowledgeUpload } from '../knowledge.ts'
import type { createStagedFiles } from '../staged-files.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** The uploads of all nodes, in tables that a crash of the database empties. */
export function createUploads(
  pool: Pool,
  files: ReturnType<typeof createStagedFiles>,
  { mostUploads, uploadMs }: Pick<KnowledgeBounds, 'mostUploads' | 'uploadMs'>,
  clock: () => number,
): Pick<KnowledgeStore, 'startUpload' | 'addPiece' | 'finishUpload' | 'cancelUpload'> {
  async function* piecesOf(upload: string): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      const [row] = await pool.query(piece, [upload, at])
      if (!(row?.bytes instanceof Uint8Array)) return
      yield row.bytes
      at += row.bytes.length
    }
  }

  return {
    startUpload: ({ uploadId, workspaceId, agentId, name, size }) =>
      pool.transaction(async connection => {
        // One after another, so that all count those before them.
        await connection.query('SELECT pg_advisory_xact_lock(7236306)')
        const now = clock()
        await connection.query(discardOld, [now - uploadMs])
        const texts = [uploadId, workspaceId, agentId, name].map(toStored)
        return (await connection.query(start, [...texts, size, now, mostUploads])).length > 0
      }),
    addPiece: (uploadId, offset, bytes) =>
      pool.transaction(async connection => {
        const id = toStored(uploadId)
        const [row] = await connection.query(lockUpload, [id])
        if (row === undefined) return null
        const arrived = Number(row.bytes)
        const arrivedWith = (refused: AddedPiece['refused']) => ({ bytes: arrived, refused })
        if (offset !== arrived) {
          const isLast = bytes.length > 0 && offset + bytes.length === arrived
          const isAgain = isLast && (await connection.query(samePiece, [id, offset, bytes])).length > 0
          return arrivedWith(isAgain ? null : 'misplaced')
        }
        if (offset + bytes.length > Number(row.size)) return arrivedWith('too_large')
        if (bytes.length > 0) await connection.query(addPiece, [id, offset, bytes])
        await connection.query(useUpload, [id, offset + bytes.length, clock()])
        return { bytes: offset + bytes.length, refused: null }
      }),
    async finishUpload(uploadId) {
      const id = toStored(uploadId)
      const [finished] = await pool.query(finish, [id, clock()])
      if (finished === undefined) {
        const [row] = await pool.query(get, [id])
        return row === undefined ? null : { ...uploadOf(row), staged: null }
      }
      const staged = await files.write(piecesOf(id))
      const removed = await pool.query(remove, [id, true]).catch(async error => {
        await staged.discard()
        throw error
      })
      if (removed.length > 0) return { ...uploadOf(finished), staged }
      // The tables were emptied meanwhile, perhaps before the last piece was read.
      await staged.discard()
      return null
    },
    async cancelUpload(uploadId) {
      return (await pool.query(remove, [toStored(uploadId), false])).length > 0
    },
  }
}

function uploadOf(row: Row): KnowledgeUpload & Pick<AddedPiece, 'bytes'> {
  return {
    uploadId: fromStored(String(row.id)),
    workspaceId: fromStored(String(row.workspace)),
    agentId: fromStored(String(row.agent)),
    name: fromStored(String(row.name)),
    size: Number(row.size),
    bytes: Number(row.bytes),
  }
}

const discardOld = { name: 'discard_old_uploads', text: 'DELETE FROM upload WHERE used_at <= $1' }
const start = {
  name: 'start_upload',
  text: `INSERT INTO upload (id, workspace, agent, name, size, used_at)
    SELECT $1, $2, $3, $4, $5::bigint, $6::bigint
      WHERE (SELECT count(*) FROM upload WHERE NOT is_finished) < $7::bigint
    RETURNING id`,
}
const lockUpload = {
  name: 'lock_upload',
  text: 'SELECT bytes, size FROM upload WHERE id = $1 AND NOT is_finished FOR UPDATE',
}
const addPiece = {
  name: 'add_upload_piece',
  text: 'INSERT INTO upload_piece (upload, at, bytes) VALUES ($1, $2, $3)',
}
const samePiece = {
  name: 'same_upload_piece',
  text: 'SELECT FROM upload_piece WHERE upload = $1 AND at = $2 AND bytes = $3',
}
const useUpload = { name: 'use_upload', text: 'UPDATE upload SET bytes = $2, used_at = $3 WHERE id = $1' }
/** Gives it to one of those who ask. */
const finish = {
  name: 'finish_upload',
  text: `UPDATE upload SET is_finished = true, used_at = $2
    WHERE id = $1 AND NOT is_finished AND bytes = size RETURNING *`,
}
const get = { name: 'get_upload', text: 'SELECT * FROM upload WHERE id = $1 AND NOT is_finished' }
const piece = {
  name: 'get_upload_piece',
  text: 'SELECT bytes FROM upload_piece WHERE upload = $1 AND at = $2',
}
const remove = {
  name: 'remove_upload',
  text: 'DELETE FROM upload WHERE id = $1 AND is_finished = $2 RETURNING id',
}
