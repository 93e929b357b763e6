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

/** A file that is uploaded and read. Nothing of it outlives the process until it is added. */
export type StagedFile = {
  /** Where its bytes are written. */
  readonly path: string
  /** Where its text is written: one passage in a line, as JSON `[first, last, text]`. */
  readonly textPath: string
  discard(): Promise<void>
}

/** Counts the versions of the program that read files differently. Files that an earlier one read are read again. */
export const readerVersion = 1

/** Maximum number of files of an agent, and of bytes that they have together. */
export type KnowledgeBounds = { readonly mostFiles: number; readonly mostBytes: number }

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
 * The files that agents answer from. An added file survives a loss of power. Every method rejects with
 * `storage_unavailable` or `damaged_data` if the storage fails.
 */
export type KnowledgeStore = {
  stage(): Promise<StagedFile>
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
  /** Writes a copy of everything to a new file; none if nothing was ever stored. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}
