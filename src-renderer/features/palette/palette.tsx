import { Modal } from '@mantine/core'

export default function Palette(props: { readonly query: string; readonly onClose: () => void }) {
  return <Modal opened onClose={props.onClose} title="Palette" />
}
