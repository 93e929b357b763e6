import { Menu } from '@mantine/core'
import { Copy } from 'lucide-react'
import type { KnowledgeFile } from '#shared/model/platform/knowledge.ts'
import { copyWithToast } from '../../../ui/copy-with-toast.ts'
import { DeleteItem, MoreMenu } from '../../../ui/more-menu.tsx'
import { useDeleteFile } from './use-files.ts'

export function FileMenu({ file }: { readonly file: KnowledgeFile }) {
  const askToDelete = useDeleteFile()
  return (
    <MoreMenu name={file.name} width={180} size="xs">
      <Menu.Item leftSection={<Copy />} onClick={() => void copyWithToast(file.sha256, 'SHA-256')}>
        Copy SHA-256
      </Menu.Item>
      <DeleteItem onClick={() => askToDelete(file)} />
    </MoreMenu>
  )
}
