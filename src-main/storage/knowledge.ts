import type { Bus } from '#main/lib/bus.ts'
import type {
  KnowledgeFile,
  KnowledgeMatch,
  KnowledgePassage,
  KnowledgeText,
} from '#shared/model/platform/knowledge.ts'

export type AgentScope = { readonly workspaceId: string; readonly agentId: string }

/** How many files an agent has, and when the first and the last of them were added, in ISO 8601. */
export type AgentFiles = AgentScope & {
  readonly files: number
  readonly firstAddedAt: string
  readonly lastAddedAt: string
}

/** A file that is received and read, on this computer. Nothing of it outlives the process until it is added. */
export type StagedFile = {
  /** Where its bytes are. */
  readonly path: string
  /** Where its text is written: one passage in a line, as JSON `[first, last, text]`. */
  readonly textPath: string
  discard(): Promise<void>
}

/** A file that arrives in pieces. */
export type KnowledgeUpload = AgentScope & {
  readonly uploadId: string
  readonly name: string
  /** The bytes that the file will have. */
  readonly size: number
}

/**
 * The outcome of a piece. It is refused before its turn, beyond the size of the file, and where it does not begin at the
 * end of the last one, unless it is the last one again.
 */
export type AddedPiece = {
  /** The bytes of the file that have arrived. */
  readonly bytes: number
  readonly refused: 'busy' | 'misplaced' | 'too_large' | null
}

/** Counts the versions of the program that read files differently. Files that an earlier one read are read again. */
export const readerVersion = 2

export type KnowledgeBounds = {
  /** Maximum number of files of an agent, and of bytes that they have together. */
  readonly mostFiles: number
  readonly mostBytes: number
  /** Maximum number of uploads at a time. */
  readonly mostUploads: number
  /** Milliseconds after its last piece for which an upload is kept. */
  readonly uploadMs: number
}

export type TextRange = {
  /** The number of the first passage. */
  readonly from: number
  /** Instead of `from`: the page, paragraph, line or row of the first passage. */
  readonly at?: number | undefined
  readonly limit: number
}

export type KnowledgeSearch = AgentScope & {
  /** Words as a user writes them. */
  readonly query: string
  readonly fileId?: string | undefined
  readonly limit: number
}

/** The place of a passage as it is stored; its unit follows from the kind of the file. */
export type StoredPassage = Omit<KnowledgePassage, 'place'> & {
  readonly first: number
  readonly last: number
}
export type StoredText = Omit<KnowledgeText, 'passages'> & { readonly passages: readonly StoredPassage[] }
export type StoredMatch = StoredPassage & {
  readonly file: KnowledgeFile
  readonly snippet: KnowledgeMatch['snippet']
}

/**
 * The files that agents answer from. An added file survives a loss of power; an upload may be lost with the process or
 * the database. Every method rejects with `storage_unavailable` or `damaged_data` if the storage fails. Every
 * implementation must pass test/storage/knowledge-contract.ts.
 */
export type KnowledgeStore = {
  /** Publishes after files were added, read again or deleted, also by another process. */
  readonly changes: Bus<void>
  /** Receives a whole file. @throws the ServiceError of `pieces`. */
  receive(pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedFile>
  /** Starts an upload, which any process can continue. Returns whether it is not one too many. */
  startUpload(upload: KnowledgeUpload): Promise<boolean>
  /**
   * Adds bytes to an upload. Only one of two pieces for the same place is added; a sender that did not get the answer
   * sends the last one again. Returns null if there is no such upload.
   */
  addPiece(uploadId: string, offset: number, piece: Uint8Array): Promise<AddedPiece | null>
  /**
   * Ends an upload whose bytes have all arrived, and returns its file to one of those who ask. If some are missing,
   * `staged` is null, and the upload goes on. Returns null if there is no such upload.
   */
  finishUpload(
    uploadId: string,
  ): Promise<(KnowledgeUpload & Pick<AddedPiece, 'bytes'> & { readonly staged: StagedFile | null }) | null>
  /** Discards an upload. Returns whether it existed. */
  cancelUpload(uploadId: string): Promise<boolean>
  /**
   * Adds a staged file. Returns the existing file if the agent has one of this name and contents, and null if the
   * agent's files would exceed the limits.
   */
  add(file: KnowledgeFile, staged: StagedFile): Promise<KnowledgeFile | null>
  /** Stages the bytes of a file, so that it can be read again. Null if there is no such file, or bytes are lost. */
  restage(fileId: string): Promise<StagedFile | null>
  /**
   * Replaces what was read from a file. Returns whether the file still exists.
   *
   * @param staged null keeps the text.
   */
  reread(file: KnowledgeFile, staged: StagedFile | null): Promise<boolean>
  /** Returns the ids of the files that were read by an earlier version of the program, or of which the disk lost a part. */
  readEarlier(): Promise<string[]>
  /** Sets what is called after a repair, which may have lost parts of files. */
  onRepaired(listener: () => void): void
  /** Returns the files of an agent, the newest first. */
  list(scope: AgentScope): Promise<KnowledgeFile[]>
  /** Returns the agents that have files. */
  agents(): Promise<AgentFiles[]>
  get(fileId: string): Promise<KnowledgeFile | null>
  text(fileId: string, range: TextRange): Promise<StoredText>
  search(search: KnowledgeSearch): Promise<StoredMatch[]>
  /** Returns whether it existed. */
  remove(fileId: string): Promise<boolean>
  /** Returns how many were deleted. */
  removeAgent(scope: AgentScope): Promise<number>
  /** Deletes the files of all workspaces but these. */
  keepOnly(workspaceIds: readonly string[]): Promise<void>
  close(): Promise<void>
}
