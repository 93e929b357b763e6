import { decode as decodeOther } from 'iconv-lite'
import type { KnowledgeEncoding } from '#shared/model/platform/knowledge.ts'

/** Encodings that Node does not know. */
const others: Readonly<Partial<Record<KnowledgeEncoding, string>>> = {
  ibm850: 'cp850',
  ibm437: 'cp437',
  ibm852: 'cp852',
  'x-mac-ce': 'maccenteuro',
  ibm855: 'cp855',
  ibm737: 'cp737',
  ibm857: 'cp857',
  ibm775: 'cp775',
}

/** Decodes a text. What is not a character becomes U+FFFD, and a byte order mark is left out. */
export function decode(bytes: Uint8Array, encoding: KnowledgeEncoding): string {
  const other = others[encoding]
  return other === undefined ? new TextDecoder(encoding).decode(bytes) : decodeOther(bytes, other)
}

/** Returns the name of an encoding as people write it. */
export function nameOf(encoding: KnowledgeEncoding): string {
  if (encoding.startsWith('utf-16')) return `UTF-16 ${encoding.slice(-2).toUpperCase()}`
  if (/^(?:utf|iso|ibm|koi8|euc|gb)/.test(encoding)) return encoding.toUpperCase().replace('IBM', 'DOS ')
  return names[encoding] ?? encoding.replace(/^./, letter => letter.toUpperCase())
}

const names: Readonly<Partial<Record<KnowledgeEncoding, string>>> = {
  macintosh: 'Mac Roman',
  'x-mac-ce': 'Mac Central European',
  'x-mac-cyrillic': 'Mac Cyrillic',
  shift_jis: 'Shift_JIS',
}
