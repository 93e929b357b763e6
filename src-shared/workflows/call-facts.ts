import { parsePath } from '../model/variable-path.ts'
import { kindOf, type Step, walkSteps } from './steps/kinds.ts'
import type { StepError } from './steps/step-kind.ts'
import { variablesIn } from './templates.ts'

/** The values of `{{$calls.KEY.…}}`: how a call of an earlier step went. */
export type CallFacts = {
  /** The status of the answer; absent without one. */
  readonly status?: number
  /** Its headers by their names in lower case; a repeated one is a list. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** The URLs of its `Link` header by their relations. */
  readonly links?: Readonly<Record<string, string>>
  /** Its body as text, or the base64 of another one. */
  readonly bodyText?: string
  /** Why there is no answer; absent with one. */
  readonly error?: StepError
}

/** The large parts of a call that the templates of a workflow read. */
export type CallParts = { readonly headers: boolean; readonly links: boolean; readonly bodyText: boolean }

const nothingRead: CallParts = { headers: false, links: false, bodyText: false }
const known = new WeakMap<readonly Step[], ReadonlyMap<string, CallParts>>()

/** Returns the keys of the steps whose calls the templates of a workflow read, with what they read. */
export function callsReadIn(steps: readonly Step[]): ReadonlyMap<string, CallParts> {
  const before = known.get(steps)
  if (before !== undefined) return before
  const read = new Map<string, CallParts>()
  for (const { step } of walkSteps(steps))
    for (const { text } of kindOf(step).texts(step)) {
      if (!text.includes('$calls')) continue
      for (const { path } of variablesIn(text)) {
        if (!path.startsWith('$calls')) continue
        const [, key = '', part] = parsePath(path) ?? []
        const { headers, links, bodyText } = read.get(key) ?? nothingRead
        const isWhole = part === undefined
        read.set(key, {
          headers: headers || isWhole || part === 'headers',
          links: links || isWhole || part === 'links',
          bodyText: bodyText || isWhole || part === 'bodyText',
        })
      }
    }
  known.set(steps, read)
  return read
}

/** Returns what is known of a call from its error alone. */
export function factsOfError({ code, message }: StepError): CallFacts {
  const [, status] = /^http_(\d{3})$/.exec(code) ?? []
  return status === undefined ? { error: { code, message } } : { status: Number(status) }
}
