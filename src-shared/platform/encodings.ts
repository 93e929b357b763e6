import type { KnowledgeEncoding, KnowledgeSeparator } from '../model/platform/knowledge.ts'

/** The names of encodings as people write them, and the languages that they are for. */
export const encodings: Readonly<
  Record<KnowledgeEncoding, { readonly name: string; readonly region: string }>
> = {
  'utf-8': { name: 'UTF-8', region: 'Unicode' },
  'utf-16le': { name: 'UTF-16 LE', region: 'Unicode' },
  'utf-16be': { name: 'UTF-16 BE', region: 'Unicode' },
  'windows-1252': { name: 'Windows-1252', region: 'Western European' },
  'iso-8859-15': { name: 'ISO-8859-15', region: 'Western European' },
  macintosh: { name: 'Mac Roman', region: 'Western European' },
  ibm850: { name: 'DOS 850', region: 'Western European' },
  ibm437: { name: 'DOS 437', region: 'Western European' },
  'windows-1250': { name: 'Windows-1250', region: 'Central European' },
  'iso-8859-2': { name: 'ISO-8859-2', region: 'Central European' },
  ibm852: { name: 'DOS 852', region: 'Central European' },
  'x-mac-ce': { name: 'Mac CE', region: 'Central European' },
  'windows-1251': { name: 'Windows-1251', region: 'Cyrillic' },
  'koi8-r': { name: 'KOI8-R', region: 'Cyrillic' },
  'koi8-u': { name: 'KOI8-U', region: 'Cyrillic' },
  'iso-8859-5': { name: 'ISO-8859-5', region: 'Cyrillic' },
  ibm866: { name: 'DOS 866', region: 'Cyrillic' },
  ibm855: { name: 'DOS 855', region: 'Cyrillic' },
  'x-mac-cyrillic': { name: 'Mac Cyrillic', region: 'Cyrillic' },
  'windows-1253': { name: 'Windows-1253', region: 'Greek' },
  'iso-8859-7': { name: 'ISO-8859-7', region: 'Greek' },
  ibm737: { name: 'DOS 737', region: 'Greek' },
  'windows-1254': { name: 'Windows-1254', region: 'Turkish' },
  ibm857: { name: 'DOS 857', region: 'Turkish' },
  'windows-1257': { name: 'Windows-1257', region: 'Baltic' },
  'iso-8859-13': { name: 'ISO-8859-13', region: 'Baltic' },
  'iso-8859-4': { name: 'ISO-8859-4', region: 'Baltic' },
  ibm775: { name: 'DOS 775', region: 'Baltic' },
  'windows-1255': { name: 'Windows-1255', region: 'Hebrew' },
  'iso-8859-8': { name: 'ISO-8859-8', region: 'Hebrew' },
  'windows-1256': { name: 'Windows-1256', region: 'Arabic' },
  'iso-8859-6': { name: 'ISO-8859-6', region: 'Arabic' },
  'windows-874': { name: 'Windows-874', region: 'Thai' },
  'windows-1258': { name: 'Windows-1258', region: 'Vietnamese' },
  shift_jis: { name: 'Shift_JIS', region: 'Japanese' },
  'euc-jp': { name: 'EUC-JP', region: 'Japanese' },
  'iso-2022-jp': { name: 'ISO-2022-JP', region: 'Japanese' },
  gb18030: { name: 'GB18030', region: 'Chinese' },
  big5: { name: 'Big5', region: 'Chinese' },
  'euc-kr': { name: 'EUC-KR', region: 'Korean' },
}

export const separators: Readonly<Record<KnowledgeSeparator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
}
