/** Words of a query that are searched for. */
export const maxWords = 16

/** Returns the words of a text as it has them. */
export const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []

/** Returns a word as an index has it: in lower case and without accents. */
export const normalizedWord = (word: string): string =>
  word.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase()

/** Returns whether a word is searched for as it is: a single letter begins too many others. */
export const isWhole = (word: string): boolean =>
  word.length === 1 && /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\d]/u.test(word)
