import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { confirmDialog } from '../../../ui/confirm-dialog.tsx'
import { problemOf } from '../../../ui/problem.ts'
import type { Reading } from '../../../ui/query-state.tsx'
import { toastDone } from '../../../ui/toasts.tsx'
import { useCommand } from '../../../ui/use-command.ts'
import type { Scope } from '../use-agent.ts'
import { sendFile, UnreadableFile } from './send-file.ts'
import { createUploads, type Uploads } from './uploads.ts'

/** The files on their way, by agent. They outlive the page. */
const uploadsByAgent = new Map<string, Uploads>()

function uploadsOf({ workspaceId, agentId }: Scope): Uploads {
  const key = `${workspaceId}/${agentId}`
  const known = uploadsByAgent.get(key) ?? createUploads(reasonOf)
  uploadsByAgent.set(key, known)
  return known
}

/** Returns why a file was not added, and what to do. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableFile) return error.message
  const { message, issues } = problemOf(error)
  return issues.length === 0 ? message : issues.map(issue => issue.message).join(' ')
}

type Files = Reading &
  ReturnType<Uploads['snapshot']> & {
    readonly data: readonly KnowledgeFile[] | undefined
    readonly isPending: boolean
    readonly dismiss: Uploads['dismiss']
    add(files: readonly File[]): void
  }

/** Returns the files of an agent, those on their way, and a function that adds files. */
export function useFiles(scope: Scope): Files {
  const { data, isPending, error, refetch } = useQuery(
    api.platform.knowledge.list.queryOptions({ input: scope }),
  )
  const uploads = uploadsOf(scope)
  const state = useSyncExternalStore(uploads.subscribe, uploads.snapshot)
  return {
    ...{ data, isPending, error, refetch },
    ...state,
    dismiss: uploads.dismiss,
    add: files =>
      void uploads.add(files, async (file, onProgress) => {
        await sendFile(scope, file, onProgress)
        await queries.invalidateQueries({ queryKey: api.platform.knowledge.list.key() })
      }),
  }
}

/** Reads a file again, in another encoding or with another separator. */
export const useReadAgain = () =>
  useCommand(client.platform.knowledge.read, 'The file was not read again', () =>
    queries.invalidateQueries({ queryKey: api.platform.knowledge.key() }),
  )

/** Returns a function that deletes a file after a question. */
export function useDeleteFile(): (file: KnowledgeFile) => void {
  const remove = useCommand(client.platform.knowledge.remove, 'The file was not deleted')
  return ({ fileId, name }) =>
    confirmDialog({
      title: `Delete ${name}?`,
      children: 'The agent can no longer answer from it. The service keeps no other copy.',
      confirm: 'Delete file',
      onConfirm: () =>
        remove.mutate(
          { fileId },
          {
            async onSuccess() {
              await queries.invalidateQueries({ queryKey: api.platform.knowledge.list.key() })
              toastDone(`“${name}” deleted`)
            },
          },
        ),
    })
}
