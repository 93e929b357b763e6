import { isMac } from './is-mac.ts'

/** The properties of a keyboard event that shortcuts use. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * Whether a key press is this chord: `mod+shift+c`, `alt+arrowup`, `?`, `n`. `mod` is ⌘ on a Mac and Ctrl elsewhere.
 * Shift is ignored for punctuation: `?` needs it on some layouts.
 */
export function matchesChord(chord: string, press: KeyPress, mac: boolean): boolean {
  const parts = chord.toLowerCase().split('+')
  const named = parts.at(-1) ?? ''
  const key = named === 'space' ? ' ' : named
  const wants = (name: string) => parts.slice(0, -1).includes(name)
  const mod = mac ? press.metaKey : press.ctrlKey
  const other = mac ? press.ctrlKey : press.metaKey
  if (mod !== wants('mod') || other !== wants('ctrl') || press.altKey !== wants('alt')) return false
  const isPunctuation = key.length === 1 && !/[a-z0-9]/.test(key)
  if (!isPunctuation && press.shiftKey !== wants('shift')) return false
  // With Alt or Shift the character differs, but the key's code does not.
  return (
    press.key.toLowerCase() === key ||
    ((wants('alt') || wants('shift')) && press.code === `Key${key.toUpperCase()}`)
  )
}

/** Returns whether a key press saves the form that it is in. The text of a field that takes it at its end is part of that. */
export function isSaving(press: KeyPress): boolean {
  return matchesChord('mod+s', press, isMac)
}

/** Returns whether the user types into this element, so that single-letter shortcuts are off. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  if (target instanceof HTMLInputElement)
    return !/^(checkbox|radio|button|submit|range|file)$/.test(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/** Returns whether a shortcut is off while the user types: single characters, and those that undo and redo typing. */
export function isOffWhileTyping(keys: string): boolean {
  return keys === 'mod+z' || keys === 'mod+shift+z' || !/mod\+|alt\+|^escape$|^f\d+$/i.test(keys)
}

/** Returns whether a shortcut is a single character, which a text field takes as text. */
export function isLetter(keys: string): boolean {
  return keys.length === 1
}

const pressed = 'a[href], button, summary, input, select, [role^="menuitem"], [role="option"], [role="tab"]'
const arrowed =
  'input[type="radio"], input[type="range"], select, [role^="menuitem"], [role="slider"], [role="listbox"], [role="tree"], [role="separator"]'
/** Tabs use only the horizontal arrows. */
const arrowedSideways = `[role="tab"], ${arrowed}`

/** Returns whether the focused control itself uses a key: Enter, an arrow, or in an editor a digit or a bracket. */
export function usesKey(target: EventTarget | null, chord: string): boolean {
  if (!(target instanceof Element)) return false
  if (chord === 'enter') return target.closest(pressed) !== null
  // In an editor, a character that misses its field must not leave the editor and what was typed there.
  if (/^[[\]1-9]$/.test(chord)) return target.closest('[data-editor]') !== null
  // Space does not press a link.
  if (chord === 'space') return target.closest(pressed)?.matches(':not(a)') ?? false
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

/** Returns `mod+shift+c` as ⌘⇧C on a Mac and Ctrl+Shift+C elsewhere. */
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
