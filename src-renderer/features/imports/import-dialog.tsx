import { Modal } from '@mantine/core'
import type { ImportRequest } from '../../shell/overlays.tsx'

export default function ImportDialog(props: {
  readonly request: ImportRequest
  readonly onClose: () => void
}) {
  return <Modal opened onClose={props.onClose} title="Import" />
}
