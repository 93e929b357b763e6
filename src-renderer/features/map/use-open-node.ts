import { useNavigate } from '@tanstack/react-router'
import { workspaceOfWebhook } from '#shared/platform/webhook-workflow.ts'
import { useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { isFailing, type MapNode } from './graph.ts'
import type { MapData } from './use-map.ts'

/** The trigger of a new workflow. */
export type Start = { readonly connectionId: string; readonly eventName?: string }

/** Returns functions that open the screen of a node, and that begin a workflow from one. */
export function useOpenNode({ toolOf, graph }: MapData) {
  const navigate = useNavigate()
  const workflows = useWorkflows().data

  /** Returns a function that opens the screen of a node; null if it has none. */
  function openOf(node: MapNode | undefined): (() => void) | null {
    if (node === undefined) return null
    const { id, column, name } = node
    const connectionId = node.connectionId ?? ''
    const params = { connectionId }
    switch (column) {
      case 'connection':
        return () => void navigate({ to: '/connections/$connectionId', params })
      case 'event':
        return () =>
          void navigate({
            to: '/connections/$connectionId/activity',
            params,
            search: { show: 'inbound', eventName: name },
          })
      case 'workflow':
        if (name === 'client') return () => void navigate({ to: '/assistant' })
        if (workspaceOfWebhook(name) !== null || !workflows?.some(({ workflowId }) => workflowId === name))
          return null
        return () => void navigate({ to: '/workflows/$workflowId', params: { workflowId: name } })
      case 'action': {
        const action = toolOf(id)?.actionId
        const panel = isFailing(node) ? ('history' as const) : undefined
        const search = action === undefined ? { filter: name } : { action, panel }
        return () => void navigate({ to: '/connections/$connectionId/actions', params, search })
      }
    }
  }

  return {
    openOf,
    /** Returns the trigger of a workflow that begins at a node: an event, or what a connection sends for nothing. */
    startOf(node: MapNode | undefined): Start | null {
      if (node?.connectionId == null || node.column === 'action') return null
      const { connectionId, column, name } = node
      if (column === 'event') return { connectionId, eventName: name }
      const eventName = graph.startNothing.find(one => one.connectionId === connectionId)?.eventName
      return { connectionId, ...(eventName !== undefined && { eventName }) }
    },
    start(from: Start | null) {
      if (from === null) return
      const { connectionId, eventName } = from
      void navigate({ to: '/workflows/new', search: { connectionId, eventName } })
    },
  }
}
