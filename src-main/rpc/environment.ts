import { removeVariable, setVariable } from '#main/connections/environment.ts'
import type { EnvironmentVariable } from '#shared/model/environment.ts'
import { deletedOne, type Handlers, type RpcParts } from './context.ts'

/** Accepts values, but never returns them. */
export function environment({ store, environment: variables }: RpcParts): Handlers['environment'] {
  return {
    list: () => variables.list(),
    set: async ({ input: { name, value } }) => {
      await store.update(config => setVariable(config, name, value))
      const justSet: EnvironmentVariable = { name, sources: ['settings'], usedBy: [] }
      return variables.list().find(variable => variable.name === name) ?? justSet
    },
    remove: ({ input }) => deletedOne(store.update(config => removeVariable(config, input.name))),
  }
}
