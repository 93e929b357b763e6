import { SaxesParser } from 'saxes'
import { ServiceError } from '#shared/errors.ts'

/** Returns whether a property that can be switched, such as `w:vanish`, is on; it is without a value. */
export const isOn = (value = '1') => !['0', 'false', 'off'].includes(value)

const maxDepth = 500
const maxAttributes = 1000

/** The tags and attributes that may still be read: what takes the time, in a document that is small when packed. */
export type NodeBudget = { left: number }
/** Word writes about one in 15 bytes. */
export const usualBudget = (): NodeBudget => ({ left: 3_000_000 })

/** Returns the value of an attribute of the open tag, by its name without a prefix. */
export type Attribute = (name: string) => string | undefined

/** Receives a part. The tags of known namespaces have our prefixes, whatever the document's own are. */
export type XmlHandler = {
  /** Returns `skip` to leave out the element with all that it contains. */
  open(name: string, attribute: Attribute): 'skip' | undefined
  close?(name: string): void
  text?(text: string): void
  /** Whether the rest is not wanted. */
  isDone?(): boolean
}

/** Our prefixes by the end of the namespace, which the transitional and the strict format share without the year. */
const prefixes: Readonly<Record<string, string>> = {
  'wordprocessingml/main': 'w:',
  'officeDocument/math': 'm:',
  'schemas.openxmlformats.org/markup-compatibility': 'mc:',
  'drawingml/main': 'a:',
  'drawingml/diagram': 'dgm:',
  'package/relationships': 'rel:',
}

/**
 * Reads XML in one pass, without a tree.
 *
 * @throws ServiceError `damaged_file`; `file_too_complex` for entities, and for depths and numbers of attributes that
 *   no program writes.
 */
export async function readXml(
  bytes: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
  budget: NodeBudget,
): Promise<void> {
  // With `xmlns`, saxes looks for each namespace in all open tags: quadratic time for a deep document.
  const parser = new SaxesParser({ xmlns: false, position: false })
  /** Full names by name; cleared when a prefix is declared. Prefixes hold for the whole document from there on. */
  const names = new Map<string, string>()
  const prefixOf = new Map<string, string>()
  const open: string[] = []
  let attributes = 0
  /** The depth of the element that is left out. */
  let skipped = Number.POSITIVE_INFINITY

  function nameOf(name: string): string {
    const known = names.get(name)
    if (known !== undefined) return known
    const colon = name.indexOf(':') + 1
    const prefix = name.slice(0, Math.max(0, colon - 1))
    const full = `${prefixOf.get(prefix) ?? `${prefix}:`}${name.slice(colon)}`
    names.set(name, full)
    return full
  }

  parser.on('error', error => {
    throw damaged(error)
  })
  parser.on('doctype', () => {
    // Word never writes a DOCTYPE: it is the beginning of an entity bomb.
    throw tooComplex(
      'The document defines XML entities. Save it again with Word or LibreOffice, then add the new file.',
    )
  })
  parser.on('opentagstart', () => {
    attributes = 0
    if (--budget.left < 0) throw tooComplex('The document has more than 3 million tags and attributes.')
  })
  parser.on('attribute', ({ name, value }) => {
    budget.left--
    if (++attributes > maxAttributes) throw tooComplex(`A tag has more than ${maxAttributes} attributes.`)
    if (!name.startsWith('xmlns')) return
    const end = value.replace('/2006', '').split('/').slice(-2).join('/')
    prefixOf.set(name.slice('xmlns:'.length), prefixes[end] ?? '?:')
    names.clear()
  })
  parser.on('opentag', ({ name, attributes: given }) => {
    const full = nameOf(name)
    if (open.push(full) > maxDepth) throw tooComplex(`The document is nested deeper than ${maxDepth} levels.`)
    if (open.length > skipped) return
    const result = handler.open(full, wanted => {
      for (const key in given) if (key === wanted || key.endsWith(`:${wanted}`)) return given[key]
      return undefined
    })
    if (result === 'skip') skipped = open.length
  })
  parser.on('closetag', () => {
    const name = open.pop() ?? ''
    if (open.length + 1 > skipped) return
    if (open.length + 1 === skipped) skipped = Number.POSITIVE_INFINITY
    else handler.close?.(name)
  })
  const { text } = handler
  if (text !== undefined) {
    const take = (piece: string) => {
      if (open.length < skipped) text(piece)
    }
    parser.on('text', take)
    parser.on('cdata', take)
  }

  let decoder: InstanceType<typeof TextDecoder> | null = null
  for await (const piece of bytes) {
    decoder ??= new TextDecoder(encodingOf(piece), { fatal: true })
    parser.write(decode(decoder, piece))
    if (handler.isDone?.() === true) return
  }
  parser.close()
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch (cause) {
    throw damaged(cause)
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

export const damaged = (cause: unknown) =>
  new ServiceError('damaged_file', {
    detail: 'The document is damaged. Open it in Word or LibreOffice, save it again, then add the new file.',
    cause,
  })

export const tooComplex = (detail: string) => new ServiceError('file_too_complex', { detail })
