import { z } from 'zod'

/** The limit for the name of an operation. A longer path cannot be the path of an action either. */
const maxName = 2100

/** The name of an operation: its method in capitals, a space, and its path as the document writes it. */
export const OperationName = z
  .string()
  .max(maxName)
  .regex(/^[A-Z]+ /, 'An operation is its method and its path, for example GET /orders/{id}.')
  .describe('An operation: its method and its path as in the document, for example `GET /orders/{id}`.')
export type OperationName = z.infer<typeof OperationName>

/** Returns the name of an operation: `GET /orders/{id}`. */
export function operationName(method: string, path: string): OperationName {
  return `${method.toUpperCase()} ${path}`.slice(0, maxName)
}

/** Returns the method and the path of an operation's name. */
export function splitOperation(name: OperationName): { readonly method: string; readonly path: string } {
  const space = name.indexOf(' ')
  return { method: name.slice(0, space), path: name.slice(space + 1) }
}

const Names = z.array(OperationName).nullish()

/** The operations that an import takes. */
export const ImportChoice = z.object({
  include: Names.describe('Take these operations; by default all, unless `tags` chooses some.'),
  tags: z
    .array(z.string())
    .nullish()
    .describe(
      'Take the operations and event types that have one of these tags. If no webhook has a tag, all event types are taken.',
    ),
  exclude: Names.describe('Do not take these operations.'),
})
export type ImportChoice = z.infer<typeof ImportChoice>

/**
 * Why an operation becomes no action. `method`, `path` and `server`: an action cannot have its method, its path or its own
 * server. `invalid`: another field is not valid in an action. `not_chosen`: `choose` does not take it.
 */
export const LeftOutReason = z.enum(['method', 'path', 'server', 'invalid', 'not_chosen'])
export type LeftOutReason = z.infer<typeof LeftOutReason>

/** An operation that becomes no action. */
export const LeftOutOperation = z.object({
  operation: OperationName,
  tags: z.array(z.string()),
  reason: LeftOutReason,
  message: z.string().describe('The reason in words.'),
})
export type LeftOutOperation = z.infer<typeof LeftOutOperation>

/** A placeholder in the paths of a document, and what the document says about its values. */
export const PlaceholderInPaths = z.object({
  name: z.string(),
  operations: z.int().describe('The number of operations whose paths have it, as a parameter or a constant.'),
  example: z.string().optional(),
  default: z.string().optional(),
  enum: z.array(z.string()).optional().describe('The values that it can have, at most 20 of them.'),
  description: z.string().optional(),
})
export type PlaceholderInPaths = z.infer<typeof PlaceholderInPaths>
