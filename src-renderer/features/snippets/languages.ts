import { curl } from './languages/curl.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { node } from './languages/node.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { type Language, type LanguageSnippets, languages, type SendInput, type Snippet } from './snippet.ts'

/** The snippets of each language. */
export const languageSnippets: Readonly<Record<Language, LanguageSnippets>> = {
  curl,
  node,
  python,
  php,
  go,
  ruby,
  java,
}

/** Programs that post one signed event to an inbound URL and print status and answer (specification: E1). */
export const sendSnippets: readonly Snippet<SendInput>[] = languages.map(
  language => languageSnippets[language].send,
)

/**
 * Programs that check the calls of actions (specification: E2): each a function `verify` and a small server on
 * 127.0.0.1 around it, on the port in the environment variable PORT (PHP: in its command), that prints the port
 * and answers 401 or 200. The shell's is a script that checks one call and exits 0 or 1.
 */
export const verifySnippets: readonly Snippet<void>[] = languages.map(
  language => languageSnippets[language].verify,
)
