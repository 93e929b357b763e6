import type { LeftOutReason, OperationName, PlaceholderInPaths } from '#shared/model/import-operation.ts'

/** An operation of a text that is converted to an import document. */
export type SourceOperation = {
  readonly name: OperationName
  readonly tags: readonly string[]
  /** The placeholders of its path, each a parameter or a constant; none if it cannot become an action. */
  readonly placeholders: readonly string[]
  /** The index of the server that it needs; left out in formats with one. */
  readonly server?: number
  /** The index of its action in the import document; null if it becomes none. */
  readonly action: number | null
  readonly leftOut: { readonly reason: LeftOutReason; readonly message: string } | null
}

/** The hints of a document about the values of a placeholder. */
export type PlaceholderHints = Omit<PlaceholderInPaths, 'name' | 'operations'>
