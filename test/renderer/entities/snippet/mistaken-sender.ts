import { eventBody } from '#renderer/entities/snippet/event-body.ts'
import { type Fix, fixFor } from '#renderer/entities/snippet/fixes.ts'
import { languageSnippets } from '#renderer/entities/snippet/languages.ts'
import { quote } from '#renderer/entities/snippet/quote.ts'
import type { Language } from '#renderer/entities/snippet/snippet.ts'
import type { DiagnosisCode } from '#shared/model/diagnosis.ts'

const data = '{"name":"caf\u00e9","ids":[1,2]}'
const body = eventBody('order.paid', data)

/** The part of Jackson that the wrong lines use, since Java has no JSON library. */
const jackson = `  record Tree(String text) { String toPrettyString() { return text.replace(",", ",\\n"); } }
  static class Mapper { Tree readTree(String text) { return new Tree(text.replace("{", "{ ")); } }
  static Mapper mapper = new Mapper();`

/** The imports and helpers that the wrong lines need in addition to the sender's. */
const surroundings: Readonly<Record<Language, (program: string) => string>> = {
  // Its time stands still, since a second may end between two calls of `date`.
  curl: program =>
    `NOW=$(date +%s)\ndate() { echo "$NOW"; }\njq() { sed 's/[,:]/& /g'; }\nDATA='${data}'\nDECODED=$(echo "\${CC_SIGNING_SECRET#whsec_}=" | tr _- /+ | base64 -d | od -An -v -tx1 | tr -d ' \\n')\n${program}`,
  node: program => `import { createHash } from 'node:crypto'\nconst data = ${data}\n${program}`,
  python: program => `import base64, codecs, json\ndata = ${data}\n${program}`,
  php: program => program.replace('<?php', `<?php\n$data = json_decode('${data}');`),
  go: program =>
    `${program
      .replace('import (', 'import (\n\t"bytes"\n\t"encoding/base64"\n\t"encoding/json"')
      .replace('\turl :=', '\t_ = secret\n\turl :=')}
var data = []byte(\`${data}\`)
var _, _, _, _ = base64.StdEncoding, hmac.New, sha256.New, strings.NewReader
var _, _ = bytes.NewReader, json.Marshal
func toLatin1(text string) string {
	var bytes []byte
	for _, char := range text { bytes = append(bytes, byte(char)) }
	return string(bytes)
}`,
  ruby: program => `require 'json'\ndata = ${data}\n${program}`,
  java: program =>
    program
      .replace('import ', 'import java.security.MessageDigest;\nimport java.util.Base64;\nimport ')
      .replace('.UTF_8;', '.*;')
      .replace(' Send {', ` Send {\n  static String data = ${quote.java(data)};\n${jackson}`),
}

export type MistakenSender = {
  readonly wrong: string
  readonly right: string
  /** Whether the corrected program is the unchanged sender. */
  readonly isRightAsShown: boolean
}

/** Returns a language's sender with a mistake, and with the fix applied. */
export function mistakenSender(code: DiagnosisCode, language: Language, url: string): MistakenSender {
  const fix = fixFor(code, language)
  if (fix === null) throw new Error(`There is no fix of ${code} in ${language}.`)
  const shown = languageSnippets[language].send.render({ url, eventName: 'order.paid', data })
  const isRightAsShown = holds(shown, fix.added)
  const wrong = isRightAsShown ? exchange(shown, fix.added, fix.removed) : shown
  const right = exchange(wrong, fix.removed, fix.added, fix)
  return { wrong: complete(wrong), right: complete(right), isRightAsShown }

  function complete(program: string): string {
    const whole = surroundings[language](program)
    // This mistake needs a body with line ends.
    if (code !== 'body_crlf') return whole
    return whole.replace(quote[language](body), () => quote[language](body.replace('{', '{\n')))
  }
}

const trimmed = (lines: readonly string[]) => lines.map(line => line.trim())

function placesOf(program: string, wanted: readonly string[]): number[] {
  const lines = trimmed(program.split('\n'))
  return lines.flatMap((_line, at) =>
    trimmed(wanted).every((line, index) => lines[at + index] === line) ? [at] : [],
  )
}

function holds(program: string, wanted: readonly string[]): boolean {
  return wanted.length > 0 && placesOf(program, wanted).length > 0
}

/** Replaces lines that occur once in a program. No lines are inserted after the `before` of a fix. */
function exchange(program: string, from: readonly string[], to: readonly string[], fix?: Fix): string {
  const lines = program.split('\n')
  const isInsertion = from.length === 0 && fix !== undefined
  const places = isInsertion
    ? placesOf(program, [...fix.before, ...fix.after]).map(at => at + fix.before.length)
    : placesOf(program, from)
  const [at] = places
  if (at === undefined || places.length > 1) throw new Error(`${places.length} places for ${from.join('\n')}`)
  const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? ''
  lines.splice(at, from.length, ...trimmed(to).map(line => indent + line))
  return lines.join('\n')
}
