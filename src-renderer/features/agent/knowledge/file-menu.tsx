import { Copy } from 'lucide-react'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { deleteEntry, MoreMenu } from '../../../ui/more-menu.tsx'
import { useDeleteFile } from './use-files.ts'

export function FileMenu({ file }: { readonly file: KnowledgeFile }) {
  const askToDelete = useDeleteFile()
  return (
    <MoreMenu
      name={file.name}
      width={180}
      size="xs"
      isInRow
      entries={[
        { icon: Copy, label: 'Copy SHA-256', run: () => void copyWithToast(file.sha256, 'SHA-256') },
        deleteEntry(() => askToDelete(file)),
      ]}
    />
  )
}
