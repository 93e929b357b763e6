import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useReturnFocus } from '../ui/focus.ts'
import { Keys } from '../ui/keys.tsx'
import { type Shortcut, useShortcutList } from '../ui/shortcuts.tsx'
import classes from './shell.module.css'

function byGroup(shortcuts: readonly Shortcut[]): [string, Shortcut[]][] {
  const shown = shortcuts.filter(
    (one, index) =>
      shortcuts.findIndex(other => other.keys === one.keys && other.label === one.label) === index,
  )
  return Object.entries(Object.groupBy(shown, ({ group }) => group)).map(([group, all = []]) => [group, all])
}

/** What the keyboard does on the screen behind it. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  useReturnFocus()
  const list = useShortcutList()
  // As it was when the dialog opened: the dialog's own shortcuts are not what is asked for.
  const [groups] = useState(() => byGroup(list().toReversed()))
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={640}>
      <div className={classes.groups}>
        {groups.map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className="xs t3 w5">{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys + label} className={classes.line}>
                  <dt>{label}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
