import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

export function settings(os: Base, { store }: RpcParts) {
  return os.settings.router({
    get: os.settings.get.handler(() => store.snapshot().settings),
    update: os.settings.update.handler(({ input }) =>
      store.update(config => {
        const settings = {
          maxBodyBytes: input.maxBodyBytes ?? config.settings.maxBodyBytes,
          maxConnections: input.maxConnections ?? config.settings.maxConnections,
          maxBodyMemoryBytes: input.maxBodyMemoryBytes ?? config.settings.maxBodyMemoryBytes,
          environmentPatterns: input.environmentPatterns ?? config.settings.environmentPatterns,
          defaultRetention: input.defaultRetention ?? config.settings.defaultRetention,
          assistantTextBytes: input.assistantTextBytes ?? config.settings.assistantTextBytes,
        }
        return { next: { ...config, settings }, result: settings }
      }),
    ),
  })
}
