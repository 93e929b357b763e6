import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Connection, ConnectionSummary } from '#shared/model/connection.ts'
import { exportWarning } from '#shared/model/import-document.ts'
import { api, client } from '../../client/client.ts'
import { changeRows } from '../../client/connection-rows.ts'
import { queries } from '../../client/query-client.ts'
import { downloadJson } from '../../ui/download.ts'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useUndo } from '../../ui/undo.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'
import { bareName, copyName, exportFileName } from './copy-name.ts'

/**
 * Changes a connection. A switch changes on the screen at once, and changes back if the request fails.
 *
 * @param onSaved called when the service has answered, before anything is refetched.
 */
export function useUpdateConnection(onSaved?: (saved: Connection) => void) {
  return useMutation(
    api.connections.update.mutationOptions({
      onMutate({ connectionId, enabled, persistEvents, ignoreRepeats }) {
        const switches = Object.entries({ enabled, persistEvents, ignoreRepeats }).filter(
          ([, isOn]) => isOn !== undefined,
        )
        const switched = <Row extends object>(row: Row): Row => ({ ...row, ...Object.fromEntries(switches) })
        const key = api.connections.get.queryKey({ input: { connectionId } })
        const before = queries.getQueryData(key)
        const restoreRows = changeRows(row => (row.connectionId === connectionId ? switched(row) : row))
        queries.setQueryData(key, connection => connection && switched(connection))
        // While the service does not answer, a refetch would not restore them.
        return () => {
          restoreRows()
          queries.setQueryData(key, before)
        }
      },
      onSuccess: saved => onSaved?.(saved),
      onError(error, { enabled }, goBack) {
        goBack?.()
        toastProblem(
          enabled === undefined
            ? 'The change was not saved'
            : 'The connection could not be enabled or disabled',
          error,
        )
      },
      onSettled: () => queries.invalidateQueries({ queryKey: api.connections.key() }),
    }),
  )
}

/** Returns a function that enables or disables a connection, says what that means, and offers to undo it. */
export function useSwitchConnection() {
  const offerUndo = useUndo()
  const { mutate } = useUpdateConnection(({ connectionId, name, enabled }) =>
    offerUndo({
      of: connectionId,
      done: outcome(name, enabled),
      undone: outcome(name, !enabled),
      async undo() {
        await client.connections.update({ connectionId, enabled: !enabled })
        await queries.invalidateQueries({ queryKey: api.connections.key() })
      },
    }),
  )
  return (connectionId: string, enabled: boolean) => mutate({ connectionId, enabled })
}

const outcome = (name: string, enabled: boolean) =>
  enabled ? `${name} enabled. It accepts events.` : `${name} disabled. Senders get 403.`

/** Downloads a connection as an import document named after it. */
export async function exportConnection({
  connectionId,
  name,
}: Pick<ConnectionSummary, 'connectionId' | 'name'>): Promise<void> {
  try {
    const document = await client.imports.export({ connectionId })
    downloadJson(exportFileName(name), document)
    const warning = exportWarning(document)
    const facts = ['The file contains no credentials.', ...(warning === null ? [] : [warning])]
    toastDone(`Connection “${name}” exported`, facts.join(' '))
  } catch (error) {
    toastProblem('The connection was not exported', error)
  }
}

/** Creates a connection with the same actions and event types and its own credentials, and opens it. */
export function useDuplicateConnection() {
  const navigate = useNavigate()
  return useCommand(
    async ({ connectionId }: { readonly connectionId: string }) => {
      const [document, { workspaceId }] = await Promise.all([
        client.imports.export({ connectionId }),
        client.connections.get({ connectionId }),
      ])
      // The names of copies begin like that, even if they are cut.
      const text = bareName(document.connection.name).slice(0, 100)
      const alike = await client.connections.list({ text })
      const names = alike.map(other => other.name)
      const name = copyName(document.connection.name, names)
      const copy = JSON.stringify({ ...document, connection: { ...document.connection, name } })
      const made = await client.imports.apply({ text: copy, workspaceId })
      return { name, connectionId: made.connectionId }
    },
    'The connection was not duplicated',
    async ({ name, connectionId }) => {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone(`Connection “${name}” created`, 'It has its own URL and secret.')
      void navigate({ to: '/connections/$connectionId', params: { connectionId } })
    },
  )
}

/** Loads the sample into the current workspace, and opens its connection. */
export function useLoadSample() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  return useCommand(
    () => client.samples.load({ workspaceId: workspace?.workspaceId ?? null }),
    'The sample was not loaded',
    async ({ connectionId }) => {
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      toastDone('The sample is ready', 'Send a test event with T, or test an action.')
      void navigate({ to: '/connections/$connectionId', params: { connectionId } })
    },
  )
}
