import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react'
import { isMac } from '../client/client.ts'
import { isTyping, matchesChord, restsWhileTyping, usesKey } from './match-keys.ts'

export type Shortcut = {
  /** A chord, or several after one another: `mod+k`, `?`, `g c`. */
  readonly keys: string
  /** What it does, for the list of shortcuts: “Send test event”. */
  readonly label: string
  /** Where it belongs in that list: “Connections”, “Everywhere”. */
  readonly group: string
}
type Bound = Shortcut & { readonly run: () => void; readonly whileTyping: boolean }

type Registry = {
  add(binding: { current: Bound }): () => void
  /** What can be used on this screen, newest first. */
  list(): readonly Shortcut[]
}

const ShortcutContext = createContext<Registry | null>(null)

/** How long the second key of a sequence may take, in milliseconds. */
const sequenceMs = 1200

/** Listens to the keyboard for whatever the screens have bound; the last one to bind a key wins. */
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
    // What a dialog, a menu or a list of options covers is not there for the keyboard either. Looked at before
    // anybody else hears of the key: Escape closes a dialog, and is not to close what is beneath it too.
    let covered = false
    function onCapture({ target }: KeyboardEvent) {
      // A popover is a dialog too, though not a modal one.
      const cover =
        '[role="dialog"], [role="menu"], [aria-haspopup="listbox"]:is([aria-expanded="true"], [data-expanded])'
      // One that has just been closed, by somebody who heard of the key before this, still has its target in it.
      covered =
        document.querySelector(cover) !== null ||
        (target instanceof Element && target.closest(cover) !== null)
    }
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing) return
      const typing = isTyping(event.target)
      const first = begun !== null && event.timeStamp - begun.at < sequenceMs ? begun.key : null
      begun = null
      for (const { current: bound } of [...bindings].reverse()) {
        if (typing && !bound.whileTyping && restsWhileTyping(bound.keys)) continue
        if (covered && bound.group !== 'Dialog') continue
        const [one = '', two] = bound.keys.split(' ')
        if (usesKey(event.target, one)) continue
        if (
          two === undefined
            ? matchesChord(one, event, isMac)
            : first === one && matchesChord(two, event, isMac)
        ) {
          event.preventDefault()
          bound.run()
          return
        }
        if (two !== undefined && matchesChord(one, event, isMac)) begun = { key: one, at: event.timeStamp }
      }
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

function useRegistry(): Registry {
  const registry = use(ShortcutContext)
  if (registry === null) throw new Error('This stands outside the ShortcutProvider.')
  return registry
}

/**
 * Binds a shortcut while the calling component is there. Those of a dialog are of the group `Dialog`; all
 * others rest while a dialog is open.
 *
 * @param options.enabled false for now.
 * @param options.whileTyping also where a single letter would be typed.
 */
export function useShortcut(
  shortcut: Shortcut,
  run: () => void,
  options: { readonly enabled?: boolean; readonly whileTyping?: boolean } = {},
): void {
  const registry = useRegistry()
  const { enabled = true, whileTyping = false } = options
  const bound = useRef<Bound>({ ...shortcut, run, whileTyping })
  useEffect(() => {
    bound.current = { ...shortcut, run, whileTyping }
  })
  useEffect(() => {
    if (enabled) return registry.add(bound)
  }, [registry, enabled])
}

/** The shortcuts that work now, for the list that `?` opens. Ask when it opens. */
export function useShortcutList(): () => readonly Shortcut[] {
  return useRegistry().list
}
