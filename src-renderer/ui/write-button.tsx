import { Switch, type SwitchProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import { KeyButton } from './keys.tsx'
import { useWriting } from './read-only.ts'

type WriteButtonProps = Omit<ComponentProps<typeof KeyButton>, 'keys'> &
  Partial<Pick<ComponentProps<typeof KeyButton>, 'keys'>>

/** A button that changes something at once. It is inactive while the service does not answer. */
export function WriteButton({ keys = false, ...props }: WriteButtonProps) {
  return <KeyButton keys={keys} {...props} {...useWriting()} />
}

/** The same as a link in a sentence. */
export function WriteLink(props: ComponentProps<'button'>) {
  return <button type="button" className="link" {...props} {...useWriting()} />
}

/** A switch that applies at once. It is inactive while the service does not answer. */
export function WriteSwitch(props: SwitchProps) {
  return <Switch {...props} {...useWriting()} />
}
