import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'
import type { SmsKeywords } from '#shared/model/platform/sms-keywords.ts'
import type { TextResponses } from '#shared/model/platform/text-response.ts'
import { variablesIn } from '#shared/platform/text-variables.ts'
import type { TextShapes } from '../use-shapes.ts'

export type TextResponse = TextResponses[number]
export type SmsWord = keyof SmsKeywords

/** The SMS keywords in the order in which they are shown, with what they do. */
export const smsWords = {
  stop: 'unsubscribe',
  help: 'help message',
  menu: 'options',
} as const satisfies Record<SmsWord, string>
export const smsWordList: readonly SmsWord[] = ['stop', 'help', 'menu']

/** The groups whose entries can be added and deleted. */
export type ListName = 'conversation-actions' | 'text-responses'

/** An entry of the list: an action or a response by its index, or an SMS keyword. */
export type Entry =
  | { readonly kind: ListName; readonly index: number }
  | { readonly kind: 'sms-keywords'; readonly word: SmsWord }

/** Returns the path of an entry in the draft, which its problems begin with. */
export const pathOf = (entry: Entry) =>
  `${entry.kind}.${entry.kind === 'sms-keywords' ? entry.word : entry.index}`

/** Returns an entry of a draft that exists: the wanted one, else the nearest in its group, else STOP. */
export function existing(draft: TextShapes, wanted: Entry): Entry {
  if (wanted.kind === 'sms-keywords') return wanted
  const count = draft[wanted.kind].length
  if (count === 0) return { kind: 'sms-keywords', word: 'stop' }
  return { ...wanted, index: Math.min(wanted.index, count - 1) }
}

const newAction: ConversationAction = { trigger: 'keyword:', action: '', form: { fields: [], submitUrl: '' } }
const newResponse: TextResponse = { key: '', text: '' }

/** Returns the field of a draft that changes when an empty entry is added at the end of a list. */
export function withNew(draft: TextShapes, list: ListName): Partial<TextShapes> {
  return list === 'text-responses'
    ? { [list]: [...draft[list], newResponse] }
    : { [list]: [...draft[list], newAction] }
}

/** Returns whether a path is of an entry that is still as `withNew` has added it. */
export function isUntouched(path: string, draft: TextShapes): boolean {
  const [list, index] = path.split('.')
  if (list === 'conversation-actions') return draft[list][Number(index)] === newAction
  return list === 'text-responses' && draft[list][Number(index)] === newResponse
}

/** Returns the variables that responses contain, then the fields of forms. */
export function knownVariables(draft: TextShapes): readonly string[] {
  const fields = draft['conversation-actions'].flatMap(({ form }) => form.fields)
  return [...new Set([...draft['text-responses'].flatMap(({ text }) => variablesIn(text)), ...fields])]
}

/** Returns the body that a form sends to its URL. Fields without a value are shown as “…”. */
export function submittedBody(
  { action, form }: ConversationAction,
  values: Readonly<Record<string, string>>,
): string {
  const fields = form.fields.map(name => [name, Object.hasOwn(values, name) ? values[name] : '…'])
  return JSON.stringify({ action, fields: Object.fromEntries(fields) }, null, 2)
}
