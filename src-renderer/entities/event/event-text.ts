import { type Node, parseTree } from 'jsonc-parser'

type EventText = {
  /** The original text of `data`; `{}` if it is absent or null. */
  readonly dataText: string
  /** The first short field of `data`, strings before numbers: distinguishes similar events. */
  readonly field: string | null
}

/** Longer fields are unlikely to be order numbers. */
const longestField = 48

/** Parses an event's text. @returns null if it is not complete JSON: the feed keeps only the first 64 KiB. */
export function readEventText(bodyText: string): EventText | null {
  const body = parseWhole(bodyText)
  if (body === undefined) return null
  const data = membersOf(body).get('data')
  if (data === undefined || data.type === 'null') return { dataText: '{}', field: null }
  return { dataText: sourceOf(bodyText, data), field: fieldOf(bodyText, data) }
}

/** Returns the field that distinguishes an event from similar ones. */
export function distinguishingField(dataText: string): string | null {
  const data = parseWhole(dataText)
  return data === undefined ? null : fieldOf(dataText, data)
}

/**
 * Returns the trigger payload of an event as JSON text. Numbers keep their digits. The service's two
 * keys replace fields of the same name.
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

/** Of a duplicate key, keeps the last value in the place of the first, as JavaScript objects do. */
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
