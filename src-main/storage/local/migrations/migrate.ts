import { ServiceError } from '#shared/errors.ts'
import { DamagedContent } from '../durable-json-file.ts'
import type { Migration } from './migration.ts'

export type Migrated = {
  /** The file's JSON at the present version. */
  readonly value: unknown
  /** The version that it had. */
  readonly from: number
  /** What was done, oldest first; empty when nothing had to be. */
  readonly applied: readonly Migration[]
}

/**
 * Brings the file's JSON to version `present` by the steps it needs.
 * @throws DamagedContent when it states no version, or one that no step starts from; ServiceError
 * `newer_configuration`.
 */
export function migrate(raw: unknown, steps: readonly Migration[], present: number): Migrated {
  const from = versionOf(raw)
  if (from > present) {
    throw new ServiceError('newer_configuration', {
      detail: `The configuration has version ${from}, from a newer version of this program, which knows versions up to ${present}. Nothing was changed.`,
    })
  }
  const applied: Migration[] = []
  let value = raw
  for (let version = from; version < present; ) {
    const step = steps.find(candidate => candidate.from === version)
    if (step === undefined) throw new DamagedContent(`schemaVersion: no version ${version} is known`)
    value = step.migrate(value)
    if (step.to <= version || versionOf(value) !== step.to) {
      throw new Error(`The migration "${step.name}" does not lead to version ${step.to}.`)
    }
    applied.push(step)
    version = step.to
  }
  return { value, from, applied }
}

function versionOf(raw: unknown): number {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new DamagedContent('it is not a JSON object')
  if (!('schemaVersion' in raw) || !Number.isSafeInteger(raw.schemaVersion)) {
    throw new DamagedContent('schemaVersion: it must be a whole number')
  }
  return Number(raw.schemaVersion)
}
