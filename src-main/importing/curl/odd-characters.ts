import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'

type Kind = { readonly pattern: string; readonly name: string; readonly remedy: string }

const space: Kind = {
  pattern: '(?! )\\p{Z}|[\\u115f\\u1160\\u2800\\u3164]',
  name: 'an unusual space',
  remedy: 'Write an ordinary space.',
}
const invisible: Kind = {
  pattern: '(?![\\t\\n])[\\p{Cc}\\p{Cf}]',
  name: 'an invisible character',
  remedy: 'Remove it.',
}
const dash: Kind = {
  pattern: '(?!-)\\p{Pd}|\\u2212',
  name: 'a typographic dash',
  remedy: 'Write a hyphen (-), or two (--).',
}
const quote: Kind = {
  pattern: '[\\p{Pi}\\p{Pf}\\u00b4\\u201a\\u201e\\u2032\\u2033\\uff02\\uff07]',
  name: 'a typographic quotation mark',
  remedy: 'Write " or \'.',
}
const backslash: Kind = {
  pattern: '[\\u2216\\u29f5\\ufe68\\uff3c]',
  name: 'a typographic backslash',
  remedy: 'Write \\.',
}

/** Better names for the characters that word processors, chat programs and web pages put into a command. */
const names: Readonly<Record<string, string>> = {
  '\u00a0': 'a non-breaking space',
  '\u00ad': 'a soft hyphen',
  '\u200b': 'a zero-width space',
  '\u202f': 'a narrow non-breaking space',
  '\u2011': 'a non-breaking hyphen',
  '\u2013': 'an en dash',
  '\u2014': 'an em dash',
  '\u2212': 'a minus sign',
  '\ufeff': 'a byte order mark',
}

/** Finds characters that are never meant, even between quotation marks. */
export const findHidden = finderOf(space, invisible)
/** Finds characters that are not meant outside quotation marks. A dash is not meant where an option starts. */
export const findUnquoted = finderOf(space, invisible, quote, backslash)
export const findAtStart = finderOf({ ...dash, pattern: `(?<=^-?)(?:${dash.pattern})` })
/** Finds characters that are not meant in the name of a host or a header. */
export const findInName = finderOf(space, invisible, dash, quote, backslash)

/** More are not shown. */
const maxProblems = 20

/** Returns a function that lists the runs of odd characters in a text, with their offsets. */
function finderOf(...kinds: readonly Kind[]): (text: string) => SyntaxProblem[] {
  const any = new RegExp(`(${kinds.map(({ pattern }) => pattern).join('|')})\\1*`, 'gu')
  const each = kinds.map(kind => ({ ...kind, is: new RegExp(kind.pattern, 'u') }))
  return text => {
    const problems: SyntaxProblem[] = []
    for (const { 1: character = '', index } of text.matchAll(any)) {
      const kind = each.find(({ is }) => is.test(character))
      if (kind === undefined || problems.length >= maxProblems) break
      const point = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      const shown =
        kind.name === space.name || kind.name === invisible.name ? point : `${character}, ${point}`
      const message = `This is ${names[character] ?? kind.name} (${shown}). ${kind.remedy}`
      problems.push({ message, offset: index })
    }
    return problems
  }
}
