import { probe } from '#main/connections/probe.ts'
import {
  changeWorkspace,
  createWorkspace,
  findWorkspace,
  removeWorkspace,
} from '#main/connections/workspaces.ts'
import { deliveryData, requireWebhookWorkflow } from '#main/workflows/webhook.ts'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import { type Workspace, WorkspaceAnswer } from '#shared/model/workspace.ts'
import { conversationStarted } from '#shared/platform/webhook-events.ts'
import { deletedOne, type Handlers, nowOf, type RpcParts, requireVersion } from './context.ts'
import { runAnswer } from './runs.ts'

const unsetSecret = (name: string) =>
  `The environment variable ${name} is not set, so every delivery fails. Set it in Settings › Environment, or with PUT /api/v1/environment/${name}.`

export function workspaces(parts: RpcParts): Handlers['workspaces'] {
  const { store, engine, random, inbound, trust, environment, clock, version, publicUrl, listenerUrl } = parts

  /** Adds a warning if the events of the webhook cannot be signed. */
  function withWarnings(workspace: Workspace): WorkspaceAnswer {
    const { webhook } = workspace
    if (!webhook?.enabled || environment.resolve(webhook.secretVariable)) return workspace
    const message = unsetSecret(webhook.secretVariable)
    return { ...workspace, warnings: [{ path: 'webhook.secretVariable', message }] }
  }

  return {
    list: () => [...store.snapshot().workspaces.values()].map(withWarnings),
    create: async ({ input }) =>
      withWarnings(await store.update(config => createWorkspace(config, input, nowOf(parts), random))),
    update: async ({ input: { workspaceId, ifUpdatedAt, ...change } }) =>
      withWarnings(
        await store.update(config => {
          requireVersion(findWorkspace(config, workspaceId), ifUpdatedAt, WorkspaceAnswer, withWarnings)
          return changeWorkspace(config, workspaceId, change, nowOf(parts))
        }),
      ),
    probe: ({ input, signal }) => {
      const workspace = findWorkspace(store.snapshot(), input.workspaceId)
      const url = input.publicBaseUrl ?? workspace.publicBaseUrl ?? publicUrl()
      return probe({ probes: inbound.probes, trust, clock, random, version }, url, listenerUrl(), signal)
    },
    testWebhook: async ({ input: { workspaceId, contents } }) => {
      const workflow = requireWebhookWorkflow(findWorkspace(store.snapshot(), workspaceId))
      const event = conversationStarted(defaultAgentId, nowOf(parts))
      const options = { eventName: event.event, connectionId: null, eventId: null, isDryRun: false }
      return runAnswer(await engine.test(workflow, deliveryData(event), options), contents)
    },
    remove: ({ input }) => deletedOne(store.update(config => removeWorkspace(config, input.workspaceId))),
  }
}
