/** Returns the escape of a UTF-16 unit in JSON: `\u0061`. */
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns the parts of a JSON text at its commas of one level: the members of `{…}`. Strings are not looked into. */
function membersOf(object: string): string[] {
  const members: string[] = []
  let depth = 0
  let isString = false
  let start = 1
  for (let at = 1; at < object.length - 1; at++) {
    const character = object[at]
    if (isString) {
      if (character === '\\') at++
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === ',' && depth === 0) {
      members.push(object.slice(start, at))
      start = at + 1
    }
  }
  return [...members, object.slice(start, -1)].filter(member => member !== '')
}

/** Returns compact JSON with spaces after its commas and colons. Strings stay. */
function spaced(text: string): string {
  let spelled = ''
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    spelled += character
    if (isString) {
      if (character === '\\') spelled += text[++at] ?? ''
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === ',' || character === ':') spelled += ' '
  }
  return spelled
}

/**
 * Returns the same JSON in other characters: its fields in another order, with spaces, with escapes. A receiver that
 * verifies the bytes that it received accepts them.
 *
 * @param json compact JSON, as calls have it.
 * @param style `unusual`: as no library writes it. `python`: as `json.dumps` writes it by default, so that a receiver
 *   in Python that signs what it has parsed accepts it.
 */
export function respelledJson(json: string, style: 'unusual' | 'python'): string {
  const isObject = json.startsWith('{')
  const members = isObject ? membersOf(json).reverse() : [json]
  const [open, close] = isObject ? ['{', '}'] : ['', '']
  if (style === 'python') {
    const text = members.map(spaced).join(', ')
    return open + text.replace(/[\u0080-\uffff]/g, escaped) + close
  }
  const unusual = members.map(member =>
    spaced(member).replace(/^"([A-Za-z])/, (_, unit) => `"${escaped(unit)}`),
  )
  return `${open}\n\t${unusual.join(' ,\n\t')} ${close}\r\n`
}

/** Returns the same target with its query in other characters; null without a query that can be written otherwise. */
export function respelledTarget(target: string): string | null {
  const at = target.indexOf('?')
  if (at === -1) return null
  const pairs = target.slice(at + 1).split('&')
  const names = new Set(pairs.map(pair => pair.split('=', 1)[0]))
  // The order of values with the same name has a meaning.
  const ordered = names.size === pairs.length ? pairs.toReversed() : pairs
  const query = ordered
    .join('&')
    .replace(/=([A-Za-z0-9])/, (_, unit: string) => `=%${unit.charCodeAt(0).toString(16).toUpperCase()}`)
  const respelled = `${target.slice(0, at)}?${query}`
  return respelled === target ? null : respelled
}

/** Returns a body with one character changed, which stays JSON if there is a value to change. */
export function tampered(body: string): string {
  const value = /:\s*"[A-Za-z0-9]|:\s*-?\d/.exec(body) ?? /[A-Za-z0-9]/.exec(body)
  const at = value === null ? body.length - 1 : value.index + value[0].length - 1
  return body.slice(0, at) + otherThan(body[at] ?? '') + body.slice(at + 1)
}

function otherThan(character: string): string {
  if (/^[1-8]$/.test(character)) return String(Number(character) + 1)
  if (character === '9') return '8'
  if (character === '0') return '1'
  if (/^[A-Ya-y]$/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1)
  return character === '!' ? '?' : '!'
}
