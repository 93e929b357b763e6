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
