import { describe, expect, test } from 'vitest'
import { isOffWhileTyping, type KeyPress, keyLabels, matchesChord } from '#renderer/ui/match-keys.ts'

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }
}

describe('a key press', () => {
  test.each([
    ['n', press('n'), false, true],
    ['n', press('n', { ctrlKey: true }), false, false],
    ['n', press('N', { shiftKey: true }), false, false],
    ['mod+k', press('k', { ctrlKey: true }), false, true],
    ['mod+k', press('k', { metaKey: true }), false, false],
    ['mod+k', press('k', { metaKey: true }), true, true],
    ['mod+k', press('k', { ctrlKey: true }), true, false],
    ['mod+shift+c', press('C', { ctrlKey: true, shiftKey: true }), false, true],
    ['mod+shift+c', press('c', { ctrlKey: true }), false, false],
    // On a German keyboard the question mark is Shift and ß.
    ['?', press('?', { shiftKey: true }), false, true],
    ['?', press('?'), false, true],
    // Alt and a letter give another character on a Mac.
    ['alt+n', press('˜', { altKey: true, code: 'KeyN' }), true, true],
    ['[', press('['), false, true],
    ['f8', press('F8'), false, true],
  ])('%s: %o on a Mac %s', (chord, pressed, mac, matches) => {
    expect(matchesChord(chord, pressed, mac)).toBe(matches)
  })
})

test('single characters are off while the user types, chords are not', () => {
  expect(['n', '?', '/', '[', 'g c'].map(isOffWhileTyping)).toEqual([true, true, true, true, true])
  expect(['mod+k', 'mod+s', 'escape', 'f8', 'alt+arrowup'].map(isOffWhileTyping)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

test('keys are shown in the system’s notation', () => {
  expect(keyLabels('mod+shift+c', true)).toBe('⌘⇧C')
  expect(keyLabels('mod+shift+c', false)).toBe('Ctrl+Shift+C')
  expect(keyLabels('mod+enter', true)).toBe('⌘↵')
  expect(keyLabels('f8', false)).toBe('F8')
})
