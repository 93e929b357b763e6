import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quote } from '#renderer/entities/snippet/quote.ts'
import { type Language, languages } from '#renderer/entities/snippet/snippet.ts'
import { anyText, traps } from './awkward.ts'
import { readLiteral } from './read-literal.ts'
import { finish, folderWith, runnableLanguages, start } from './runtimes.ts'

test.each(languages)('a literal in %s means the text that it was made of', language => {
  fc.assert(
    fc.property(anyText, text => {
      expect(readLiteral(language, quote[language](text))).toBe(text)
    }),
    { numRuns: 2000, examples: traps.map(trap => [trap]) },
  )
})

const lines = (texts: readonly string[], line: (literal: string) => string, language: Language) =>
  texts.map(text => line(quote[language](text))).join('\n')

/** Programs that print the bytes of each text in hexadecimal, one line each. */
const printers: Readonly<
  Record<Language, readonly [file: string, program: (texts: readonly string[]) => string]>
> = {
  curl: [
    'print.sh',
    texts => lines(texts, text => `printf %s ${text} | od -An -v -tx1 | tr -d ' \\n'; echo`, 'curl'),
  ],
  node: [
    'print.mjs',
    texts => lines(texts, text => `console.log(Buffer.from(${text}).toString('hex'))`, 'node'),
  ],
  python: ['print.py', texts => lines(texts, text => `print(${text}.encode().hex())`, 'python')],
  php: ['print.php', texts => `<?php\n${lines(texts, text => `echo bin2hex(${text}), "\\n";`, 'php')}`],
  go: [
    'print.go',
    texts =>
      `package main\nimport "fmt"\nfunc main() {\n${lines(texts, text => `fmt.Printf("%x\\n", ${text})`, 'go')}\n}`,
  ],
  ruby: ['print.rb', texts => lines(texts, text => `puts ${text}.unpack1('H*')`, 'ruby')],
  java: [
    'Print.java',
    texts =>
      `public class Print { public static void main(String[] args) throws Exception {\n${lines(
        texts,
        text => `System.out.println(java.util.HexFormat.of().formatHex(${text}.getBytes("UTF-8")));`,
        'java',
      )}\n} }`,
  ],
}
const commands: Readonly<Record<Language, string>> = {
  curl: 'bash print.sh',
  node: 'node print.mjs',
  python: 'python3 print.py',
  php: 'php print.php',
  go: 'go run print.go',
  ruby: 'ruby print.rb',
  java: 'java Print.java',
}

describe('read by the language itself', () => {
  test.each(runnableLanguages())('a literal in %s means the text that it was made of', async language => {
    const [file, program] = printers[language]
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 60, maxLength: 60 }), async more => {
        const texts = [...traps, traps.join(''), ...more]
        const folder = await folderWith(file, program(texts))
        const { stdout, stderr } = await finish(start({ folder, command: commands[language] }))
        expect(stderr).toBe('')
        expect(stdout.split('\n').slice(0, -1)).toEqual(texts.map(text => Buffer.from(text).toString('hex')))
      }),
      { numRuns: 2, endOnFailure: true },
    )
  })
})
