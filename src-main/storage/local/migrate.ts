import { z } from 'zod'
import { ServiceError } from '#shared/errors.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { isOfService } from '#shared/workflows/scope.ts'
import { replaceVariables } from '#shared/workflows/templates.ts'
import { DamagedContent } from './durable-json-file.ts'

/** One step of the configuration file from a version to a later one. */
export type Migration = {
  readonly from: number
  readonly to: number
  /** Describes the step in a few words for the operator, such as `split names`. */
  readonly name: string
  /**
   * Pure. Receives the JSON that the older version wrote; the result has `schemaVersion: to`.
   *
   * @throws DamagedContent if the older version cannot have written it.
   */
  readonly migrate: (file: unknown) => unknown
}

/** As much of version 2 as its step touches. */
const File2 = z.looseObject({
  connections: z.array(z.looseObject({ previousSecret: z.looseObject({}).nullable() })),
})

/** All steps, oldest first. Version 3 is the first that was released, and version 2 the first that was in use. */
export const allMigrations: readonly Migration[] = [
  {
    from: 2,
    to: 3,
    name: 'several old secrets',
    migrate(file) {
      const { data } = File2.safeParse(file)
      if (data === undefined)
        throw new DamagedContent('connections: each must be an object with previousSecret, an object or null')
      // The replaced secret stays sealed as it is.
      const connections = data.connections.map(({ previousSecret, ...connection }) => ({
        ...connection,
        oldSecrets: previousSecret === null ? [] : [previousSecret],
      }))
      return { ...data, schemaVersion: 3, connections }
    },
  },
  {
    // Version 3 would not see the changes in a journal beside the file, and lose them.
    from: 3,
    to: 4,
    name: 'a journal of changes',
    migrate: file => ({ ...Object(file), schemaVersion: 4 }),
  },
  {
    from: 4,
    to: 5,
    name: 'variables of the service',
    migrate(file) {
      const { workflows, ...rest } = Object(file)
      return {
        ...rest,
        ...(workflows !== undefined && { workflows: withEventFields(workflows) }),
        schemaVersion: 5,
      }
    },
  },
]

/**
 * Returns a JSON value in whose texts `{{$name}}` is `{{event.$name}}`: before version 5, it was the field of an event,
 * and now such names are the service's.
 */
function withEventFields(value: unknown): unknown {
  if (typeof value === 'string')
    return replaceVariables(value, (path, source) =>
      isOfService(path) ? source.replace(path, () => `event.${path}`) : source,
    )
  if (Array.isArray(value)) return value.map(withEventFields)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withEventFields(part)]))
}

/** Returns what to tell the operator of workflows that version 5 has rewritten; null if it has rewritten none. */
export function rewrittenNotice(workflows: readonly { readonly name: string }[]): string | null {
  const names = workflows.filter(one => JSON.stringify(one).includes('{{event.$')).map(({ name }) => name)
  if (names.length === 0) return null
  return `Variables whose names begin with $ are the service's now. These workflows read fields of events with such names, and were rewritten to {{event.$name}}: ${names.join(', ')}.`
}

export type Migrated = ReturnType<typeof migrate>

/**
 * Brings the file's JSON to version `present`. Also returns the version that it had, and the applied steps, oldest
 * first.
 *
 * @throws DamagedContent if it has no version, or one that no step starts from; ServiceError `newer_configuration`.
 */
export function migrate(raw: unknown, steps: readonly Migration[], present: number) {
  const from = versionOf(raw)
  if (from > present) {
    throw new ServiceError('newer_configuration', {
      detail: `The configuration has version ${from}, which a newer version of this program wrote; this one reads up to ${present}. Nothing was changed.`,
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

/** Returns the version of a configuration file. @throws DamagedContent if it has none. */
export function versionOf(raw: unknown): number {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    throw new DamagedContent('it is not a JSON object')
  if (!('schemaVersion' in raw) || !Number.isSafeInteger(raw.schemaVersion)) {
    throw new DamagedContent('schemaVersion: it must be a whole number')
  }
  return Number(raw.schemaVersion)
}
