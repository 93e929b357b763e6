const onMac: Readonly<Record<string, string>> = { mod: '⌘', alt: '⌥', shift: '⇧', ctrl: '⌃' }
const elsewhere: Readonly<Record<string, string>> = { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', ctrl: 'Ctrl' }
const named: Readonly<Record<string, string>> = {
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
        modifiers[key] ?? named[key] ?? (/^f\d+$/.test(key) || key.length === 1 ? key.toUpperCase() : key),
    )
  return labels.join(mac ? '' : '+')
}
