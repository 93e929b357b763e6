/** The worker thread that counts tokens. Loading the vocabulary takes 0.2 s and 75 MB. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { serveJobs } from '#main/lib/jobs/serve-jobs.ts'

/** Characters. The time to count a word grows with the square of its length, and a hostile text is one long word. */
const longestPart = 1024

serveJobs((texts: readonly string[]) => texts.map(tokensOf))

/** Returns the tokens of a text, which is cut before spaces, because a token begins with one. */
function tokensOf(text: string): number {
  let tokens = 0
  for (let start = 0; start < text.length; ) {
    const part = text.slice(start, start + longestPart)
    const space = start + part.length < text.length ? part.lastIndexOf(' ') : -1
    const cut = space > 0 ? part.slice(0, space) : part
    tokens += countTokens(cut)
    start += cut.length
  }
  return tokens
}
