import { curl } from './languages/curl.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { node } from './languages/node.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import type { Language, LanguageSnippets } from './snippet.ts'

export const languageSnippets: Readonly<Record<Language, LanguageSnippets>> = {
  curl,
  node,
  python,
  php,
  go,
  ruby,
  java,
}
