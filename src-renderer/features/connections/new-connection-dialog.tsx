import { Modal } from '@mantine/core'

export function NewConnectionDialog({ onClose }: { readonly onClose: () => void }) {
  return <Modal opened onClose={onClose} title="New connection" />
}
