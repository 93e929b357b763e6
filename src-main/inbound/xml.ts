import { SaxesParser } from 'saxes'
import type { BodyProblem, Read } from './body-problem.ts'

/** Levels of elements. */
const maxLevels = 64
/** Elements and attributes. */
const maxNodes = 10_000

class Refused extends Error {
  readonly code: BodyProblem['code']

  constructor(message: string, code: BodyProblem['code'] = 'invalid_json') {
    super(message)
    this.code = code
  }
}

/** An open element: its fields, each with all its values, and its own text. */
type Open = { readonly name: string; readonly fields: Map<string, unknown[]>; text: string }

/**
 * Reads XML as JSON: elements are fields, attributes are fields with `@` before their names, and a name that repeats is a
 * list. An element without either is its text; beside them, its text is the field `#text`. Prefixes of namespaces stay.
 * A DOCTYPE is refused, so there are no entities but those of XML itself. Never throws.
 */
export function readXml(text: string): Read {
  // With `xmlns`, saxes looks for each namespace in all open tags: quadratic time for a deep document.
  const parser = new SaxesParser({ xmlns: false, position: false })
  const root: Open = { name: '', fields: new Map(), text: '' }
  const open: Open[] = [root]
  let nodes = 0
  const count = () => {
    if (++nodes > maxNodes)
      throw new Refused(`The XML has more than 10,000 elements and attributes.`, 'too_many_fields')
  }
  const addText = (piece: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  }
  parser.on('error', error => {
    throw new Refused(`The body is not well-formed XML: ${firstLine(error.message)}`)
  })
  parser.on('doctype', () => {
    throw new Refused('The XML has a DOCTYPE. Send it without one: documents cannot define entities here.')
  })
  parser.on('opentagstart', count)
  parser.on('attribute', count)
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > maxLevels) throw new Refused(`The XML is nested deeper than ${maxLevels} levels.`)
    const fields = new Map<string, unknown[]>()
    for (const [attribute, value] of Object.entries(attributes)) fields.set(`@${attribute}`, [value])
    open.push({ name, fields, text: '' })
  })
  parser.on('closetag', () => {
    const element = open.pop()
    if (element !== undefined) addTo(open.at(-1) ?? root, element.name, jsonOf(element))
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  try {
    parser.write(text.startsWith('\ufeff') ? text.slice(1) : text).close()
    return { root: jsonOf({ ...root, text: '' }) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { problem: { code: error.code, detail: error.message } }
  }
}

function addTo({ fields }: Open, name: string, value: unknown): void {
  const values = fields.get(name)
  if (values === undefined) fields.set(name, [value])
  else values.push(value)
}

function jsonOf({ fields, text }: Open): unknown {
  if (fields.size === 0) return text
  const values = Array.from(fields, ([name, all]): [string, unknown] => [
    name,
    all.length === 1 ? all[0] : all,
  ])
  const own = text.trim()
  // Unlike an assignment, this makes even `__proto__` a field of its own.
  return Object.fromEntries(own === '' ? values : [...values, ['#text', own]])
}

/** The messages of the parser begin with the place, and may quote the document. */
const firstLine = (message: string) => message.split('\n', 1)[0]?.slice(0, 200) ?? ''
