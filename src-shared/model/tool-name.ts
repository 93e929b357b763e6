import { z } from 'zod'

const maxLength = 64
const hashLength = 8

/** The snake_case identifier of an action as a tool. */
export const ToolName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,63}$/,
    'A tool name has 1 to 64 of the characters a–z, 0–9 and _, and starts with a letter.',
  )

/** Lowercase letters that Unicode does not decompose into a base letter and an accent. */
const foldings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ŧ: 't',
}

/**
 * Returns a valid tool name for the name of an action. It folds accents and ligatures to ASCII. Words end at characters
 * other than letters and digits, at lower→upper and at acronym→word. Digits stay with their word.
 *
 * @param sha256Hex returns the lowercase hex SHA-256 of a text's UTF-8, for names that end up empty or too long.
 */
export function deriveToolName(name: string, sha256Hex: (text: string) => string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    // This precedes the folding of ligatures: `Æ` is one capital, but `AE` looks like the end of an acronym.
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .replace(/\P{ASCII}/gu, character => foldings[character.toLowerCase()] ?? ' ')
  const joined = asciiWords(words).join('_').toLowerCase()
  if (joined === '') return `tool_${sha256Hex(name).slice(0, hashLength)}`
  return shorten(/^[0-9]/.test(joined) ? `tool_${joined}` : joined, sha256Hex)
}

/** Returns the runs of ASCII letters and digits of a text, from which names of one alphabet are made. */
export function asciiWords(text: string): string[] {
  return text.match(/[A-Za-z0-9]+/g) ?? []
}

/** Shortens a tool name of over 64 characters to 55, `_` and 8 hex digits of the whole name's SHA-256. */
function shorten(toolName: string, sha256Hex: (text: string) => string): string {
  if (toolName.length <= maxLength) return toolName
  return `${toolName.slice(0, maxLength - hashLength - 1)}_${sha256Hex(toolName).slice(0, hashLength)}`
}
