import { definedFields } from '#main/lib/defined-fields.ts'
import { readAuthorities } from '#main/outbound/trust.ts'
import { Settings } from '#shared/model/settings.ts'
import type { Handlers, RpcParts } from './context.ts'

export function settings({ store, trust }: RpcParts): Handlers['settings'] {
  return {
    get: () => store.snapshot().settings,
    update: async ({ input }) => {
      const context = input.caFile === undefined ? null : await readAuthorities(input.caFile)
      const settings = await store.update(config => {
        const settings = Settings.parse({ ...config.settings, ...definedFields(input) })
        return { next: { ...config, settings }, result: settings }
      })
      if (context !== null) trust.use(context)
      return settings
    },
  }
}
