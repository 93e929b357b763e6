import { curl } from './languages/curl.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { node } from './languages/node.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { type Language, type LanguageSnippets, languages, type SendInput, type Snippet } from './snippet.ts'

export const languageSnippets: Readonly<Record<Language, LanguageSnippets>> = {
  curl,
  node,
  python,
  php,
  go,
  ruby,
  java,
}

/** Programs that post one signed event to an inbound URL and print the response. */
export const sendSnippets: readonly Snippet<SendInput>[] = languages.map(
  language => languageSnippets[language].send,
)

/**
 * Programs that verify the calls of actions: each a function `verify` and a small server on 127.0.0.1 that prints its
 * port and answers 401 or 200. The port is in the environment variable PORT, or in PHP's command. The shell's program
 * verifies one call and exits with 0 or 1.
 */
export const verifySnippets: readonly Snippet<void>[] = languages.map(
  language => languageSnippets[language].verify,
)
