import { probe } from '#main/connections/probe.ts'
import {
  changeWorkspace,
  createWorkspace,
  findWorkspace,
  removeWorkspace,
} from '#main/connections/workspaces.ts'
import { type Handlers, nowOf, type RpcParts } from './context.ts'

export function workspaces(parts: RpcParts): Handlers['workspaces'] {
  const { store, random, inbound, trust, clock, version, publicUrl, listenerUrl } = parts
  return {
    list: () => [...store.snapshot().workspaces.values()],
    create: ({ input }) => store.update(config => createWorkspace(config, input, nowOf(parts), random)),
    update: ({ input: { workspaceId, ...change } }) =>
      store.update(config => changeWorkspace(config, workspaceId, change, nowOf(parts))),
    probe: ({ input, signal }) => {
      const workspace = findWorkspace(store.snapshot(), input.workspaceId)
      const url = input.publicBaseUrl ?? workspace.publicBaseUrl ?? publicUrl()
      return probe({ probes: inbound.probes, trust, clock, random, version }, url, listenerUrl(), signal)
    },
    remove: async ({ input }) => {
      await store.update(config => removeWorkspace(config, input.workspaceId))
      return { deleted: 1 }
    },
  }
}
