import { definedFields } from '#main/lib/defined-fields.ts'
import { timeAfter } from '#main/lib/next-version.ts'
import { readAuthorities } from '#main/outbound/trust.ts'
import { Settings } from '#shared/model/settings.ts'
import { type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'

export function settings(parts: RpcParts): Handlers['settings'] {
  const { store, trust } = parts
  return {
    get: () => store.snapshot().settings,
    update: async ({ input: { ifUpdatedAt, ...change } }) => {
      const context = change.caFile === undefined ? null : await readAuthorities(change.caFile)
      const settings = await store.update(config => {
        const before = config.settings
        requireVersion(before, ifUpdatedAt, Settings)
        const updatedAt = timeAfter(before.updatedAt, nowOf(parts))
        const settings = Settings.parse({ ...before, ...definedFields(change), updatedAt })
        return { next: { ...config, settings }, result: settings }
      })
      if (context !== null) trust.use(context)
      return settings
    },
  }
}
