import { Kbd } from '@mantine/core'
import { isMac } from '../client/client.ts'
import { keyLabels } from './match-keys.ts'

/** The keys of a shortcut as this system writes them; `mod+shift+c`, or one after the other: `g c`. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="nowrap key-row">
      {keys.split(' ').map((chord, index) => (
        // The same key may come twice in a sequence.
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence is never reordered
        <Kbd key={index} className="keys">
          {keyLabels(chord, isMac)}
        </Kbd>
      ))}
    </span>
  )
}
