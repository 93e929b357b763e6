import { isObject } from './exact-json.ts'

/**
 * Returns the JSON of a value if it has at most `limit` UTF-16 units, otherwise a longer text that begins as its JSON
 * does. Takes time for what it returns, not for the whole value.
 */
export function stringifyUpTo(value: unknown, limit: number): string {
  let text = ''

  function add(part: unknown): void {
    if (typeof part === 'string') {
      const room = limit - text.length + 1
      text += JSON.stringify(part.length > room ? part.slice(0, room) : part)
    } else if (Array.isArray(part)) addList(part)
    else if (isObject(part)) addObject(part)
    else text += JSON.stringify(part) ?? 'null'
  }

  function addList(list: readonly unknown[]): void {
    text += '['
    for (let index = 0; index < list.length && text.length <= limit; index++) {
      if (index > 0) text += ','
      add(list[index])
    }
    text += ']'
  }

  function addObject(object: Readonly<Record<string, unknown>>): void {
    text += '{'
    let isFirst = true
    for (const name in object) {
      if (text.length > limit) break
      if (object[name] === undefined || !Object.hasOwn(object, name)) continue
      text += isFirst ? '' : ','
      isFirst = false
      add(name)
      text += ':'
      add(object[name])
    }
    text += '}'
  }

  add(value)
  return text
}
