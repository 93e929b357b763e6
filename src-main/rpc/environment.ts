import { removeVariable, setVariable } from '#main/connections/environment.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

/** Accepts values, but never returns them. */
export function environment(os: Base, { store, environment: variables }: RpcParts) {
  return os.environment.router({
    list: os.environment.list.handler(() => variables.list()),
    set: os.environment.set.handler(async ({ input: { name, value } }) => {
      await store.update(config => setVariable(config, name, value))
      const justSet: EnvironmentVariable = { name, sources: ['settings'], usedBy: [] }
      return variables.list().find(variable => variable.name === name) ?? justSet
    }),
    remove: os.environment.remove.handler(async ({ input }) => {
      await store.update(config => removeVariable(config, input.name))
      return { deleted: 1 }
    }),
  })
}
