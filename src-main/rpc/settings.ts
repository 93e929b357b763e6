import { readAuthorities } from '#main/outbound/trust.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function settings(os: Base, { store, trust }: RpcParts) {
  return os.settings.router({
    get: os.settings.get.handler(() => store.snapshot().settings),
    update: os.settings.update.handler(async ({ input }) => {
      const context = input.caFile === undefined ? null : await readAuthorities(input.caFile)
      const settings = await store.update(config => {
        const settings = {
          maxBodyBytes: input.maxBodyBytes ?? config.settings.maxBodyBytes,
          maxConnections: input.maxConnections ?? config.settings.maxConnections,
          maxBodyMemoryBytes: input.maxBodyMemoryBytes ?? config.settings.maxBodyMemoryBytes,
          environmentPatterns: input.environmentPatterns ?? config.settings.environmentPatterns,
          defaultRetention: input.defaultRetention ?? config.settings.defaultRetention,
          caFile: input.caFile === undefined ? config.settings.caFile : input.caFile,
          assistantTextBytes: input.assistantTextBytes ?? config.settings.assistantTextBytes,
        }
        return { next: { ...config, settings }, result: settings }
      })
      if (context !== null) trust.use(context)
      return settings
    }),
  })
}
