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
import type { HttpStep } from '#shared/workflows/steps/http.ts'

/** An operation of a document, without regard to the constants. */
export type Operation = {
  /** Unique: the name, and the tool name of its action. */
  readonly key: string
  readonly method: string
  readonly parts: readonly PathPart[]
  readonly placeholders: readonly string[]
  readonly tags: readonly string[]
  readonly toolName: string | null
  /** Why constants alone do not make it an action; null if they do. */
  readonly why: string | null
}

/** Returns all operations of a preview by their paths. They are the same for all constants. */
export function operationsOf({ details, leftOut }: Pick<ImportPreview, 'details' | 'leftOut'>): Operation[] {
  const found = [
    ...details.actions.map(one => ({
      ...one,
      why: one.skippedBecause === null ? null : alreadyThere[one.skippedBecause.kind],
    })),
    ...leftOut.map(one => ({ ...one, why: one.reason === 'placeholder' ? null : one.message })),
  ]
  return found
    .map(({ operation, tags, toolName, why }) => {
      const { method, path } = splitOperation(operation)
      const own = { parts: pathParts(path), placeholders: placeholdersIn(path), tags, toolName, why }
      return { path, operation: { key: `${operation} ${toolName}`, method, ...own } }
    })
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
    .map(({ operation }) => operation)
}

const alreadyThere = {
  present: 'the connection has it already',
  repeated: 'it has the tool name of another one',
} as const

/** The choice for a placeholder: a constant, or to leave its operations out. */
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

export type Counted = {
  readonly create: readonly Operation[]
  /** Those that constants would make actions, then the others. */
  readonly out: readonly Operation[]
  /** How many of `out` only need constants. */
  readonly open: number
}

/** Returns which operations become actions with these constants. */
export function countOperations(operations: readonly Operation[], constants: Constants): Counted {
  const create: Operation[] = []
  const needing: Operation[] = []
  const others: Operation[] = []
  for (const one of operations)
    if (one.why !== null) others.push(one)
    else if (missingOf(one, constants).length > 0) needing.push(one)
    else create.push(one)
  return { create, out: [...needing, ...others], open: needing.length }
}

/** Returns the placeholders of an operation without a constant. */
export function missingOf({ placeholders }: Operation, constants: Constants): string[] {
  return placeholders.filter(name => constantOf(constants, name) === undefined)
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

/**
 * Returns the steps that make the calls of the operations left out, by their names.
 *
 * @param connectionId signs them; null for a connection that does not exist yet, so that there are no steps.
 */
export function stepsOf(
  { leftOut }: Pick<ImportPreview, 'leftOut'>,
  connectionId: string | null,
): ReadonlyMap<string, HttpStep> {
  if (connectionId === null) return new Map()
  return new Map(
    leftOut.flatMap(({ operation, httpStep }) =>
      httpStep === undefined ? [] : [[operation, { ...httpStep, signWith: connectionId }] as const],
    ),
  )
}
