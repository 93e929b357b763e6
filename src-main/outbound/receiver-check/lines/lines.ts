import type { AdviceCode } from '#shared/model/receiver-check.ts'
import type { Corrections, Part } from './corrections.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'

const languages: Readonly<Record<string, Corrections>> = { node, python, php, go, ruby, java }

/** The part of a receiver that each mistake is in; null for one that is not in its code. */
const parts: Readonly<Record<AdviceCode, Part | null>> = {
  no_window: 'window',
  no_absolute: 'window',
  seconds: 'window',
  compared_after_parsing: 'rawBody',
  key_without_prefix: 'key',
  key_decoded: 'key',
  old_secret_accepted: 'key',
  body_alone: 'message',
  empty_accepted: 'missing',
  missing_accepted: 'missing',
  case_sensitive: 'header',
  crashes: 'parsing',
  redirects: null,
  slow: 'answer',
}

const none: Readonly<Record<string, string>> = {}
const made = new Map(
  Object.entries(parts).map(([code, part]) => [
    code,
    part === null
      ? none
      : Object.fromEntries(
          Object.entries(languages).map(([language, corrections]) => [language, corrections[part]]),
        ),
  ]),
)

/** Returns the lines to change in a receiver that makes a mistake, by language. */
export function linesOf(code: AdviceCode): Readonly<Record<string, string>> {
  return made.get(code) ?? none
}
