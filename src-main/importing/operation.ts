import type { LeftOutReason, OperationName, PlaceholderInPaths } from '#shared/model/import-operation.ts'
import type { Method } from '#shared/model/method.ts'
import type { HttpStep } from '#shared/workflows/steps/http.ts'

/** The call of an operation as an `http` step, without its base URL. Its texts may have variables. */
export type OperationCall = Omit<HttpStep, 'type' | 'key' | 'url' | 'signWith' | 'onFailure'> & {
  readonly method: Method
  readonly path: string
}

/** An operation of a text that is converted to an import document. */
export type SourceOperation = {
  readonly name: OperationName
  readonly tags: readonly string[]
  /** The placeholders of its path that constants can fill; none if it cannot become an action anyway. */
  readonly placeholders: readonly string[]
  /** The tool name of its action, also if only a constant is missing. */
  readonly toolName: string | null
  /** The index of its action in the import document; null if it becomes none. */
  readonly action: number | null
  readonly leftOut: { readonly reason: LeftOutReason; readonly message: string } | null
  /** Null for an action, and where too many calls would be read. */
  readonly call: OperationCall | null
}

/** The hints of a document about the values of a placeholder. */
export type PlaceholderHints = Omit<PlaceholderInPaths, 'name' | 'operations'>
