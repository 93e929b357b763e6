import { probe } from '#main/connections/probe.ts'
import {
  changeWorkspace,
  createWorkspace,
  findWorkspace,
  removeWorkspace,
} from '#main/connections/workspaces.ts'
import type { Base } from './base.ts'
import { nowOf, type RpcParts } from './context.ts'

export function workspaces(os: Base, parts: RpcParts) {
  const { store, random, inbound, trust, clock, version, publicUrl, listenerUrl } = parts
  return os.workspaces.router({
    list: os.workspaces.list.handler(() => [...store.snapshot().workspaces.values()]),
    create: os.workspaces.create.handler(({ input }) =>
      store.update(config => createWorkspace(config, input, nowOf(parts), random)),
    ),
    update: os.workspaces.update.handler(({ input: { workspaceId, ...change } }) =>
      store.update(config => changeWorkspace(config, workspaceId, change, nowOf(parts))),
    ),
    probe: os.workspaces.probe.handler(({ input, signal }) => {
      const workspace = findWorkspace(store.snapshot(), input.workspaceId)
      const url = input.publicBaseUrl ?? workspace.publicBaseUrl ?? publicUrl()
      return probe({ probes: inbound.probes, trust, clock, random, version }, url, listenerUrl(), signal)
    }),
    remove: os.workspaces.remove.handler(async ({ input }) => {
      await store.update(config => removeWorkspace(config, input.workspaceId))
      return { deleted: 1 }
    }),
  })
}
