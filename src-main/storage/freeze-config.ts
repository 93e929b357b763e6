import { isObject } from '#shared/json/exact-json.ts'
import type { Config } from './config.ts'
import type { ConfigDiff } from './config-diff.ts'

/** Freezes a value and everything in it. What is frozen is skipped. */
export function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  if (Array.isArray(value)) for (const part of value) freezeDeeply(part)
  else if (isObject(value)) for (const key in value) freezeDeeply(value[key])
}

/** Makes a configuration deeply immutable, in place. */
export function freezeConfig(config: Config): void {
  for (const part of Object.values(config)) {
    if (!(part instanceof Map)) freezeDeeply(part)
    else {
      for (const record of part.values()) freezeDeeply(record)
      freezeMap(part)
    }
  }
  Object.freeze(config)
}

/** The same for what an update has changed: the rest is frozen already. */
export function freezeChanges(config: Config, diff: ConfigDiff): void {
  const { settings: _, listener: __, metricsToken: ___, ...parts } = diff
  for (const diffs of Object.values(parts)) for (const { after } of diffs) freezeDeeply(after)
  for (const part of Object.values(config))
    if (part instanceof Map) freezeMap(part)
    else freezeDeeply(part)
  Object.freeze(config)
}

/** Object.freeze does not protect the entries of a Map. */
function freezeMap(map: ReadonlyMap<string, unknown>): void {
  if (Object.isFrozen(map)) return
  const refuse = () => {
    throw new TypeError('The configuration is changed only by ConfigStore.update.')
  }
  for (const name of ['set', 'delete', 'clear']) Object.defineProperty(map, name, { value: refuse })
  Object.freeze(map)
}
