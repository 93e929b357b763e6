import { TextInput } from '@mantine/core'
import { Copy, Eye, EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import classes from './overview-tab.module.css'
import type { Secret } from './use-secret.ts'

/** A credential behind dots, with what shows it, copies it, and makes another. */
export function SecretField(props: {
  readonly label: string
  /** The label within a sentence: “inbound URL”. */
  readonly noun: string
  readonly masked: string
  readonly secret: Secret
  readonly description?: ReactNode
  /** One more icon button, at the end. */
  readonly children: ReactNode
}) {
  const { label, noun, masked, secret, description, children } = props
  const isShown = secret.value !== null
  return (
    <TextInput
      label={label}
      classNames={{ input: classes.machine ?? '' }}
      readOnly
      spellCheck={false}
      value={secret.value ?? masked}
      onFocus={event => isShown && event.currentTarget.select()}
      description={description}
      rightSectionWidth={92}
      rightSection={
        <span className={classes.icons}>
          <IconButton
            size="xs"
            icon={isShown ? EyeOff : Eye}
            label={`${isShown ? 'Hide' : 'Reveal'} ${noun}`}
            onClick={isShown ? secret.hide : secret.reveal}
          />
          <IconButton size="xs" icon={Copy} label={`Copy ${noun}`} onClick={secret.copy} />
          {children}
        </span>
      }
    />
  )
}
