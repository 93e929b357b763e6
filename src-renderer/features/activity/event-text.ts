import { type Node, parseTree } from 'jsonc-parser'

/** What the list and the payload view need of an event's original text. */
type EventText = {
  /** The value of `data` as it was sent; `{}` where it is absent or null. */
  readonly dataText: string
  /** The first short field of `data`, texts before numbers: what tells it from its like. */
  readonly field: string | null
}

/** Longer ones are no order numbers. */
const longestField = 48

/** Null for a text that is no whole JSON: the feed keeps the first 64 KiB. */
export function readEventText(bodyText: string): EventText | null {
  const body = parseWhole(bodyText)
  if (body === undefined) return null
  const data = membersOf(body).get('data')
  if (data === undefined || data.type === 'null') return { dataText: '{}', field: null }
  return { dataText: sourceOf(bodyText, data), field: fieldOf(bodyText, data) }
}

/** The field that tells an event from its like, of the text of its `data`. */
export function distinguishingField(dataText: string): string | null {
  const data = parseWhole(dataText)
  return data === undefined ? null : fieldOf(dataText, data)
}

/**
 * The payload of the trigger that an event raises, as JSON text (specification: Workflow trigger payload).
 * Numbers keep their digits; the service's two keys win over fields of the same name.
 */
export function triggerText(dataText: string, eventName: string, connectionId: string): string {
  const members = membersOf(parseWhole(dataText))
  const fields = [...members].map(([name, value]) => [name, sourceOf(dataText, value)] as const)
  const all = new Map(fields).set('eventName', JSON.stringify(eventName))
  all.set('connectionId', JSON.stringify(connectionId))
  return `{${[...all].map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(',')}}`
}

function parseWhole(text: string): Node | undefined {
  const errors: Parameters<typeof parseTree>[1] = []
  const root = parseTree(text, errors)
  return errors.length === 0 ? root : undefined
}

/** Of a key that comes twice the last value counts, in the place of the first, as in JavaScript's own objects. */
function membersOf(node: Node | undefined): Map<string, Node> {
  const members = new Map<string, Node>()
  if (node?.type !== 'object') return members
  for (const { children: [name, value] = [] } of node.children ?? [])
    if (name !== undefined && value !== undefined) members.set(String(name.value), value)
  return members
}

const sourceOf = (text: string, { offset, length }: Node) => text.slice(offset, offset + length)

function fieldOf(text: string, data: Node): string | null {
  const members = [...membersOf(data)]
  for (const [, { type, value }] of members)
    if (type === 'string' && value !== '' && value.length <= longestField) return value
  for (const [name, value] of members) if (value.type === 'number') return `${name} ${sourceOf(text, value)}`
  return null
}
