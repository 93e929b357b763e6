import { splitOperation } from '#shared/model/import-operation.ts'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import {
  Constant,
  type Constants,
  constantOf,
  type PathPart,
  pathParts,
  placeholdersIn,
} from '#shared/model/placeholders.ts'

/** An operation of a document, without regard to the constants. */
export type Operation = {
  /** Unique: the name, and the tool name of its action. */
  readonly key: string
  readonly method: string
  readonly parts: readonly PathPart[]
  readonly placeholders: readonly string[]
  readonly tags: readonly string[]
  readonly toolName: string | null
  /** The number of its parameters if no placeholder has a constant. */
  readonly parameters: number
  /** Why it becomes no action; null if it becomes one. */
  readonly why: string | null
}

/** Returns all operations of a preview by their paths. They are the same for all constants. */
export function operationsOf({ details, leftOut }: Pick<ImportPreview, 'details' | 'leftOut'>): Operation[] {
  const found = [
    ...details.actions.map(({ operation, tags, toolName, parameters, placeholders, skippedBecause }) => ({
      ...{ operation, tags, toolName },
      parameters: parameters + placeholders.filter(one => one.as === 'constant').length,
      why: skippedBecause === null ? null : alreadyThere[skippedBecause.kind],
    })),
    ...leftOut.map(({ operation, tags, message }) => ({
      ...{ operation, tags, toolName: null, parameters: 0, why: message },
    })),
  ]
  return found
    .map(({ operation, ...rest }) => {
      const { method, path } = splitOperation(operation)
      const own = { ...rest, parts: pathParts(path), placeholders: placeholdersIn(path) }
      return { path, operation: { key: `${operation} ${rest.toolName}`, method, ...own } }
    })
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
    .map(({ operation }) => operation)
}

const alreadyThere = {
  present: 'the connection has it already',
  repeated: 'it has the tool name of another one',
} as const

/** The choice for a placeholder: a constant, or a parameter of its actions. */
export type Filling = { readonly isConstant: boolean; readonly value: string }
export type Fillings = ReadonlyMap<string, Filling>

export const nothingFilled: Fillings = new Map()

const open: Filling = { isConstant: false, value: '' }

export const fillingOf = (fillings: Fillings, name: string) => fillings.get(name) ?? open

/** Returns why a chosen value cannot be a constant; null if it can be, or none is chosen. */
export function fillingProblem({ isConstant, value }: Filling): string | null {
  if (!isConstant || value === '') return null
  return Constant.safeParse(value).error?.issues[0]?.message ?? null
}

/** Returns the valid constants. */
export function constantsOf(fillings: Fillings): Constants {
  const valid = [...fillings].filter(
    ([, { isConstant, value }]) => isConstant && Constant.safeParse(value).success,
  )
  return Object.fromEntries(valid.map(([name, { value }]) => [name, value]))
}

export type Counted = { readonly create: readonly Operation[]; readonly out: readonly Operation[] }

/** Returns which operations become actions. */
export function countOperations(operations: readonly Operation[]): Counted {
  const { create = [], out = [] } = Object.groupBy(operations, ({ why }) => (why === null ? 'create' : 'out'))
  return { create, out }
}

/** Returns how many of an operation's placeholders have a constant, and how many parameters its action has. */
export function inputsOf(
  { placeholders, parameters }: Operation,
  constants: Constants,
): { readonly constants: number; readonly parameters: number } {
  const filled = placeholders.filter(name => constantOf(constants, name) !== undefined).length
  return { constants: filled, parameters: parameters - filled }
}

/** Returns the operations whose method, path, tags or tool name contain all words of a query. */
export function searchOperations(operations: readonly Operation[], query: string): readonly Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return operations
  return operations.filter(({ method, parts, tags, toolName }) => {
    const path = parts.map(({ text }) => text).join('')
    const text = `${method} ${path} ${tags.join(' ')} ${toolName ?? ''}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}
