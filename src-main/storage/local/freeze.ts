import type { Config } from '../config.ts'

function refuse(): never {
  throw new TypeError('The configuration is changed by ConfigStore.update alone.')
}

/**
 * Makes the configuration and all that it holds unchangeable, in place. What was frozen before is not walked
 * through again, so an update pays for the records that it changed and one look at each of the others.
 */
export function freezeConfig(config: Config): Config {
  freezeDeeply(config.settings)
  freezeDeeply(config.listener)
  const held = config.held ?? new Map()
  for (const map of [config.environment, config.workspaces, config.connections, held]) {
    for (const record of map.values()) freezeDeeply(record)
    freezeMap(map)
  }
  return Object.freeze(config)
}

/** Object.freeze leaves a Map's content open. */
function freezeMap(map: ReadonlyMap<string, unknown>): void {
  if (Object.isFrozen(map)) return
  Object.defineProperties(map, {
    set: { value: refuse },
    delete: { value: refuse },
    clear: { value: refuse },
  })
  Object.freeze(map)
}

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeeply(part)
}
