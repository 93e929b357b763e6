import { type Node, parseTree } from 'jsonc-parser'

/**
 * Returns the trigger payload of an event as JSON text. Numbers keep their digits. The service's two
 * keys replace fields of the same name.
 */
export function triggerText(dataText: string, eventName: string, connectionId: string): string {
  const members = membersOf(parseTree(dataText))
  const fields = [...members].map(([name, value]) => [name, sourceOf(dataText, value)] as const)
  const all = new Map(fields).set('eventName', JSON.stringify(eventName))
  all.set('connectionId', JSON.stringify(connectionId))
  return `{${[...all].map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(',')}}`
}

/** Returns the members of an object. A repeated key has the last value in the place of the first, as in JavaScript. */
function membersOf(node: Node | undefined): Map<string, Node> {
  const members = new Map<string, Node>()
  if (node?.type !== 'object') return members
  for (const { children: [name, value] = [] } of node.children ?? [])
    if (name !== undefined && value !== undefined) members.set(String(name.value), value)
  return members
}

const sourceOf = (text: string, { offset, length }: Node) => text.slice(offset, offset + length)
