import { Modal } from '@mantine/core'

export function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  return <Modal opened onClose={onClose} title="New workspace" />
}
