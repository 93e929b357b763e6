import { languageSnippets } from './languages.ts'
import { languages, type Snippet } from './snippet.ts'

/**
 * Programs that check the calls of actions (specification: E2): each a function `verify` and a small server on
 * 127.0.0.1 around it, on the port in the environment variable PORT (PHP: in its command), that prints the port
 * and answers 401 or 200. The shell's is a script that checks one call and exits 0 or 1.
 */
export const verifySnippets: readonly Snippet<void>[] = languages.map(
  language => languageSnippets[language].verify,
)
