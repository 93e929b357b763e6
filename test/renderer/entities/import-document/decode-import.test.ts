import { expect, test } from 'vitest'
import { maxImportBytes } from '#shared/model/import-document.ts'
import {
  decodeImport,
  isTooLarge,
  sizeRefusal,
} from '../../../../src-renderer/entities/import-document/decode-import.ts'

const refusal = (bytes: Uint8Array) => {
  const decoded = decodeImport('a.json', bytes)
  return 'refused' in decoded ? decoded.refused : null
}

test('a file of 16 MiB is read, but not a larger or an empty one', () => {
  expect(sizeRefusal('a.json', maxImportBytes)).toBeNull()
  expect(sizeRefusal('a.json', maxImportBytes + 1)).toBe(
    'a.json is larger than 16 MiB, the limit of an import. Split it into several.',
  )
  expect(sizeRefusal('a.json', 0)).toBe('a.json is empty.')
})

test('the size of a text is its bytes in UTF-8', () => {
  expect(isTooLarge('x'.repeat(maxImportBytes))).toBe(false)
  expect(isTooLarge('x'.repeat(maxImportBytes + 1))).toBe(true)
  expect(isTooLarge('é'.repeat(maxImportBytes / 2))).toBe(false)
  expect(isTooLarge('é'.repeat(maxImportBytes / 2 + 1))).toBe(true)
})

test('UTF-8 is not changed, and keeps its byte order mark', () => {
  const text = '\ufeff{"name": "Zürich 東京 🚀"}\r\n'
  expect(decodeImport('a.json', new TextEncoder().encode(text))).toEqual({ text })
})

test.each([
  ['UTF-16, little end first', [0xff, 0xfe, 0x7b, 0x00], 'a.json is written in UTF-16. Save it as UTF-8.'],
  ['UTF-16, big end first', [0xfe, 0xff, 0x00, 0x7b], 'a.json is written in UTF-16. Save it as UTF-8.'],
  ['Latin 1', [0x22, 0x5a, 0xfc, 0x72, 0x22], 'a.json is not UTF-8. Save it as UTF-8.'],
])('%s is refused with a remedy', (_name, bytes, words) => {
  expect(refusal(new Uint8Array(bytes))).toBe(words)
})

test('a file with a zero byte is refused as binary', () => {
  expect(refusal(new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x00]))).toMatch(/^a\.json is not a text file\./)
})
