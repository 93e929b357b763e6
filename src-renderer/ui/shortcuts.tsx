import { createSafeContext } from '@mantine/core'
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { isMac } from './is-mac.ts'
import { isOffWhileTyping, isTyping, matchesChord, usesKey } from './match-keys.ts'

export type Shortcut = {
  /** A chord, or several after one another: `mod+k`, `?`, `g c`. */
  readonly keys: string
  /** Names its effect in the list of shortcuts: “Send test event”. */
  readonly label: string
  /** Its heading in that list: “Connections”, “Everywhere”. */
  readonly group: string
  /** Another shortcut with the same keys takes precedence, also an older one. */
  readonly yields?: true
}
type Bound = Shortcut & { readonly run: () => void }

type Registry = {
  add(binding: { current: Bound }): () => void
  /** Returns the shortcuts that work on this screen, newest first. */
  list(): readonly Shortcut[]
}

const [ShortcutContext, useRegistry] = createSafeContext<Registry>('There is no ShortcutProvider.')

/** Maximum time between the two keys of a sequence, in milliseconds. */
const sequenceMs = 1200

const isFirst = ({ current }: { readonly current: Bound }) => current.yields !== true

/** Runs the shortcuts that the screens have bound; the last one to bind a key wins, unless it yields. */
export function ShortcutProvider({ children }: { readonly children: ReactNode }) {
  const [bindings] = useState(() => new Set<{ current: Bound }>())
  const registry = useMemo<Registry>(
    () => ({
      add(binding) {
        bindings.add(binding)
        return () => bindings.delete(binding)
      },
      list: () => [...bindings].reverse().map(({ current }) => current),
    }),
    [bindings],
  )

  useEffect(() => {
    let begun: { key: string; at: number } | null = null
    // Shortcuts of a screen do not work beneath a dialog or a menu, and beneath a list of options only those that a
    // field takes no text or step from. Checked in the capture phase: Escape that closes a dialog must not also act on
    // the screen beneath.
    let covered = false
    let listed = false
    function onCapture({ target }: KeyboardEvent) {
      // An earlier listener may have closed the cover already; the target is still in it.
      const isOpen = (cover: string) =>
        document.querySelector(cover) !== null ||
        (target instanceof Element && target.closest(cover) !== null)
      // A popover is a dialog too, though not a modal one.
      covered = isOpen('[role="dialog"], [role="menu"]')
      listed = isOpen('[aria-haspopup="listbox"]:is([aria-expanded="true"], [data-expanded])')
    }
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing) return
      const typing = isTyping(event.target)
      const first = begun !== null && event.timeStamp - begun.at < sequenceMs ? begun.key : null
      begun = null
      const newestFirst = [...bindings].reverse()
      const usable = [...newestFirst.filter(isFirst), ...newestFirst.filter(bound => !isFirst(bound))]
        .map(({ current }) => ({ ...current, chords: current.keys.split(' ') }))
        .filter(
          ({ keys, chords, group }) =>
            !(typing && isOffWhileTyping(keys)) &&
            !((covered || (listed && !keys.startsWith('mod+'))) && group !== 'Dialog') &&
            !usesKey(event.target, chords[0] ?? ''),
        )
      const isPressed = (chord = '') => matchesChord(chord, event, isMac)
      // G then R is not the R of the screen.
      const bound =
        usable.find(({ chords: [one, two] }) => two !== undefined && one === first && isPressed(two)) ??
        usable.find(({ chords: [one, two] }) => two === undefined && isPressed(one))
      if (bound !== undefined) {
        event.preventDefault()
        bound.run()
        return
      }
      const [start] =
        usable.find(({ chords: [one, two] }) => two !== undefined && isPressed(one))?.chords ?? []
      if (start !== undefined) begun = { key: start, at: event.timeStamp }
    }
    window.addEventListener('keydown', onCapture, true)
    window.addEventListener('keydown', onKeyDown)
    return () => {
      window.removeEventListener('keydown', onCapture, true)
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [bindings])
  return <ShortcutContext value={registry}>{children}</ShortcutContext>
}

/**
 * Binds a shortcut while the calling component is mounted and `isOn`. While a dialog is open, only shortcuts of the
 * group `Dialog` work.
 */
export function useShortcut(shortcut: Shortcut, run: () => void, isOn = true): void {
  const registry = useRegistry()
  const bound = useRef<Bound>({ ...shortcut, run })
  // Before the screen is painted: a key that follows what has just appeared acts on that.
  useLayoutEffect(() => {
    bound.current = { ...shortcut, run }
  })
  useLayoutEffect(() => {
    if (isOn) return registry.add(bound)
  }, [registry, isOn])
}

/** Returns a function that lists the shortcuts that work at the moment it is called. */
export function useShortcutList(): () => readonly Shortcut[] {
  return useRegistry().list
}
