import { languageSnippets } from './languages.ts'
import { languages, type SendInput, type Snippet } from './snippet.ts'

/** Programs that post one signed event to an inbound URL and print status and answer (specification: E1). */
export const sendSnippets: readonly Snippet<SendInput>[] = languages.map(
  language => languageSnippets[language].send,
)
