import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** This file is not checked, because it quotes what it refuses. */
const own = 'test/words.test.ts'

type Rule = {
  readonly pattern: RegExp
  readonly refused: readonly string[]
  readonly allowed: readonly string[]
}

/** Words that slow readers down. Write subject, verb and object instead; in a docstring, begin with the verb. */
const rules: Readonly<Record<string, Rule>> = {
  anew: { pattern: /\banew\b/gi, refused: ['It is built anew.'], allowed: ['a new index'] },
  whoever: {
    pattern: /\bwhoever\b/gi,
    refused: ['Whoever waits comes first.'],
    allowed: ['Those who wait come first.'],
  },
  '… all the same': {
    pattern: /(?<!\b(?:are|be|look|were) )\ball the same\b(?! \w)/gi,
    refused: ['so that it is stored all the same.'],
    allowed: ['They are all the same.', 'all the same length'],
  },
  'nobody … but': {
    pattern: /\bnobody (?:\w+ )*but\b/gi,
    refused: ['Send it to nobody but the author.', 'Nobody reads it but the writer.'],
    allowed: ['Nobody reads it, but it is kept.'],
  },
  'it is said': { pattern: /\bit is said\b/gi, refused: ['Here it is said why.'], allowed: ['It says why.'] },
  'is no …': {
    pattern:
      /(?<!\bthere(?: \w+){0,3} )\b(?:are|be|been|is|was|were) no (?!(?:different|less|longer|more|one|use|\w+er than)\b)[a-z]/gi,
    refused: ['A text that is no JSON.', 'These are no numbers.'],
    allowed: [
      'There is no file.',
      'There seems to be no room.',
      'It is no longer kept.',
      'is no larger than',
    ],
  },
  'what of': {
    pattern: /(?<!\b(?:const|let) )\bwhat of\b/gi,
    refused: ['What of the job is moved?'],
    allowed: ['for (const what of all)'],
  },
  'a docstring that begins with “What”, “Of” or “That”': {
    pattern: /\/\*\* (?:Of|That|What)\b/g,
    refused: ['/** What a node knows. */', '/** Of one core. */', '/**\n   * That of the node.\n   */'],
    allowed: ['/** Returns what a node knows. */', '/** Whatever it is. */'],
  },
}

const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(path => join(folder, path).split(sep).join('/'))
    .filter(path => ending.test(path) && path !== own && !path.includes('/node_modules/'))

const folders = ['src-main', 'src-preload', 'src-renderer', 'src-shared', 'scripts', 'test']
const files = [
  ...folders.flatMap(folder => filesIn(folder, /\.(?:tsx?|cjs|css)$/)),
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...filesIn('docs', /\.md$/)],
]

/** Joins the lines of paragraphs and comments, so that a phrase is found across their ends. */
const joined = (text: string) => text.replace(/\n[ \t]*(?:(?:\*(?!\/)|\/\/)[ \t]?)?(?=\S)/g, ' ')

const excerpts = (path: string, text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(({ index, 0: found }) => {
    const from = Math.max(0, index - 40)
    return `${path}: …${text.slice(from, index + found.length + 40)}…`
  })

test.each(Object.entries(rules))('the rule about %s is precise', (_name, { pattern, refused, allowed }) => {
  for (const text of refused) expect(excerpts('', joined(text), pattern)).toHaveLength(1)
  for (const text of allowed) expect(excerpts('', joined(text), pattern)).toEqual([])
})

test('sources and documents say nothing in refused words', () => {
  expect(files.length).toBeGreaterThan(1000)
  const found = files.flatMap(path => {
    const text = joined(readFileSync(join(root, path), 'utf8'))
    return Object.values(rules).flatMap(({ pattern }) => excerpts(path, text, pattern))
  })
  expect(found).toEqual([])
})
