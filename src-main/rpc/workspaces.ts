import { probe } from '#main/connections/probe.ts'
import {
  changeWorkspace,
  createWorkspace,
  findWorkspace,
  removeWorkspace,
} from '#main/connections/workspaces.ts'
import { deliveryData, requireWebhookWorkflow } from '#main/workflows/webhook.ts'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import { conversationStarted } from '#shared/platform/webhook-events.ts'
import { deletedOne, type Handlers, nowOf, type RpcParts } from './context.ts'
import { runAnswer } from './runs.ts'

export function workspaces(parts: RpcParts): Handlers['workspaces'] {
  const { store, engine, random, inbound, trust, clock, version, publicUrl, listenerUrl } = parts
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
    testWebhook: async ({ input: { workspaceId, contents } }) => {
      const workflow = requireWebhookWorkflow(findWorkspace(store.snapshot(), workspaceId))
      const event = conversationStarted(defaultAgentId, nowOf(parts))
      const options = { eventName: event.event, connectionId: '', eventId: null, isDryRun: false }
      return runAnswer(await engine.test(workflow, deliveryData(event), options), contents)
    },
    remove: ({ input }) => deletedOne(store.update(config => removeWorkspace(config, input.workspaceId))),
  }
}
