/** What a keyboard event says, as far as shortcuts look at it. */
export type KeyPress = {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/**
 * Whether a key press is this chord: `mod+shift+c`, `alt+arrowup`, `?`, `n`. `mod` is ⌘ on a Mac and Ctrl
 * elsewhere. Shift counts only where the chord names it or a letter is meant: `?` needs it on some layouts.
 */
export function matchesChord(chord: string, press: KeyPress, mac: boolean): boolean {
  const parts = chord.toLowerCase().split('+')
  const key = parts.at(-1) ?? ''
  const wants = (name: string) => parts.slice(0, -1).includes(name)
  const mod = mac ? press.metaKey : press.ctrlKey
  const other = mac ? press.ctrlKey : press.metaKey
  if (mod !== wants('mod') || other !== wants('ctrl') || press.altKey !== wants('alt')) return false
  const isSign = key.length === 1 && !/[a-z0-9]/.test(key)
  if (!isSign && press.shiftKey !== wants('shift')) return false
  // With Alt or Shift the key is another character; its place on the keyboard is still the same.
  return (
    press.key.toLowerCase() === key ||
    ((wants('alt') || wants('shift')) && press.code === `Key${key.toUpperCase()}`)
  )
}

/** Whether typing goes into this element, so that single letters rest (design: Keyboard). */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  if (target instanceof HTMLInputElement)
    return !/^(checkbox|radio|button|submit|range|file)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/**
 * Single letters and signs rest while somebody types; chords with a modifier, Escape and F-keys do not, save
 * for the one that undoes what was typed.
 */
export function restsWhileTyping(keys: string): boolean {
  return keys === 'mod+z' || !/mod\+|alt\+|^escape$|^f\d+$/i.test(keys)
}

const pressed = 'a[href], button, summary, input, select, [role^="menuitem"], [role="option"], [role="tab"]'
const arrowed =
  'input[type="radio"], input[type="range"], select, [role^="menuitem"], [role="slider"], [role="listbox"], [role="tree"], [role="separator"]'
/** Tabs stand beside one another. */
const arrowedSideways = `[role="tab"], ${arrowed}`

/** Whether the focused control makes something of Enter or an arrow itself, so that shortcuts leave it alone. */
export function usesKey(target: EventTarget | null, chord: string): boolean {
  if (!(target instanceof Element)) return false
  if (chord === 'enter') return target.closest(pressed) !== null
  if (!chord.startsWith('arrow')) return false
  return target.closest(/left|right/.test(chord) ? arrowedSideways : arrowed) !== null
}

const onMac: Readonly<Record<string, string>> = { mod: '⌘', alt: '⌥', shift: '⇧', ctrl: '⌃' }
const elsewhere: Readonly<Record<string, string>> = { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', ctrl: 'Ctrl' }
const namedKeys: Readonly<Record<string, string>> = {
  enter: '↵',
  escape: 'esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  backspace: '⌫',
  updown: '↑↓',
}

/** `mod+shift+c` as ⌘⇧C on a Mac and Ctrl+Shift+C elsewhere. */
export function keyLabels(chord: string, mac: boolean): string {
  const modifiers = mac ? onMac : elsewhere
  const labels = chord
    .split('+')
    .map(
      key =>
        modifiers[key] ??
        namedKeys[key] ??
        (/^f\d+$/.test(key) || key.length === 1 ? key.toUpperCase() : key),
    )
  return labels.join(mac ? '' : '+')
}
