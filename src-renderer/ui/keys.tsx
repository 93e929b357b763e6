import { Button, type ButtonProps, Kbd } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ComponentPropsWithRef } from 'react'
import { isMac } from './is-mac.ts'
import { keyLabels } from './match-keys.ts'

/** The keys of a shortcut in this system's notation: a chord such as `mod+shift+c`, or a sequence such as `g c`. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="nowrap key-row">
      {keys.split(' ').map((chord, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence is never reordered
        <Kbd key={index} className="keys">
          {keyLabels(chord, isMac)}
        </Kbd>
      ))}
    </span>
  )
}

type KeyButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & {
    /** False where the shortcut is off. */
    readonly keys: string | false | undefined
    readonly icon?: LucideIcon
  }

/** A button that shows the shortcut that does the same. Takes the props of Mantine's Button. */
export function KeyButton({ keys, icon: Icon, ...props }: KeyButtonProps) {
  return <Button leftSection={Icon && <Icon />} rightSection={keys && <Keys keys={keys} />} {...props} />
}
