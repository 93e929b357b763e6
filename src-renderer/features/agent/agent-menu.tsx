import { useQuery } from '@tanstack/react-query'
import { Download, Plus, Upload } from 'lucide-react'
import { useState } from 'react'
import { defaultAgentId } from '#shared/model/platform/parts.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { confirmDialog } from '../../ui/confirm-dialog.tsx'
import { downloadJson } from '../../ui/download.ts'
import { formatCount } from '../../ui/format.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { deleteEntry, type MenuEntry, MoreMenu } from '../../ui/more-menu.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { NewAgentDialog } from './new-agent-dialog.tsx'
import { type Scope, useAgent } from './use-agent.ts'

const ImportAgentDialog = lazyComponent(() => import('./import-agent-dialog.tsx'))

/** The menu for the whole agent: new, import, export and delete. */
export function AgentMenu({ scope }: { readonly scope: Scope }) {
  const { workspaceId, agentId } = scope
  const { open } = useAgent()
  const [dialog, setDialog] = useState<'new' | 'import' | null>(null)
  const close = () => setDialog(null)
  const { data } = useQuery(api.platform.agents.queryOptions({ input: { workspaceId } }))
  const { shapes, files = 0 } = data?.find(agent => agent.agentId === agentId) ?? {}
  const remove = useCommand(
    () => client.platform.removeAgent({ query: scope }),
    `Agent “${agentId}” was not deleted`,
    async () => {
      await queries.invalidateQueries({ queryKey: api.platform.key() })
      toastDone(`Agent “${agentId}” deleted`)
      if (agentId !== defaultAgentId) open(defaultAgentId)
    },
  )
  const askToDelete = () =>
    confirmDialog({
      title: `Delete the agent ${agentId}?`,
      children: `All of its saved pages${files === 0 ? '' : ` and ${formatCount(files, 'knowledge file')}`} are deleted, and its settings return to the defaults. This cannot be undone.`,
      confirm: 'Delete agent',
      onConfirm: () => remove.mutate(),
    })
  const save: MenuEntry = { icon: Upload, label: 'Export as JSON', run: () => void exportAgent(scope) }
  const entries: readonly MenuEntry[] = [
    { icon: Plus, label: 'New agent', run: () => setDialog('new') },
    { icon: Download, label: 'Import', also: 'agent', run: () => setDialog('import') },
    ...(shapes !== undefined && shapes.length > 0 ? [save] : []),
    ...(shapes !== undefined ? [deleteEntry(askToDelete)] : []),
  ]
  return (
    <>
      <MoreMenu name={`agent ${agentId}`} width={200} entries={entries} />
      {dialog === 'new' && <NewAgentDialog onClose={close} />}
      {dialog === 'import' && <ImportAgentDialog scope={scope} onClose={close} />}
    </>
  )
}

/** Downloads all shapes of an agent as one document. */
async function exportAgent(scope: Scope): Promise<void> {
  try {
    downloadJson(`agent-${scope.agentId}.json`, await client.platform.export(scope))
    toastDone(`Agent “${scope.agentId}” exported`, 'The file contains what is saved on its pages.')
  } catch (error) {
    toastProblem('The agent was not exported', error)
  }
}
