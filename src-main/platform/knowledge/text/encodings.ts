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
