import { removeVariable, setVariable } from '#main/connections/made-variables.ts'
import type { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { deletedOne, type Handlers, type RpcParts } from './context.ts'

/** Accepts values, but never returns them. */
export function environment({ store, environment: variables }: RpcParts): Handlers['environment'] {
  return {
    list: () => variables.list(),
    set: async ({ input: { name, ...input } }) => {
      await store.update(config => setVariable(config, name, input))
      const justSet: EnvironmentVariable = { name, sources: ['settings'], kind: 'value', usedBy: [] }
      return variables.list().find(variable => variable.name === name) ?? justSet
    },
    try: ({ input: { name, oauth2 } }) => variables.tryOut(name, oauth2),
    remove: ({ input }) => deletedOne(store.update(config => removeVariable(config, input.name))),
  }
}
