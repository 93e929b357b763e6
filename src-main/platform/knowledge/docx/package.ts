import { posix } from 'node:path'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { ServiceError } from '#shared/errors.ts'
import { damaged, readXml, tooComplex, usualBudget, type XmlHandler } from './xml.ts'

const maxEntries = 5000
/** The maximum size of all parts that are read together, unpacked. Word allows a document 32 MB of text. */
const maxXmlBytes = 32 * 1024 * 1024

/** The parts of a Word document: XML files in a ZIP archive. */
export type Package = {
  /** Reads a part. Returns whether the document has it. */
  read(path: string, handler: XmlHandler): Promise<boolean>
  /** Returns the parts and addresses that a part refers to. The path of the document itself is empty. */
  relations(path: string): Promise<Relation[]>
}

export type Relation = {
  readonly id: string
  /** The last word of its type, such as `footnotes`. */
  readonly type: string
  /** A path in the package, or a URL if it is external. */
  readonly target: string
  readonly isExternal: boolean
}

/** Opens a Word document without unpacking it. @throws ServiceError `damaged_file`, `file_too_complex`. */
export async function openPackage(bytes: Buffer): Promise<Package> {
  const zip = await fromBufferPromise(bytes).catch(cause => {
    throw damaged(cause)
  })
  if (zip.entryCount > maxEntries) throw tooComplex(`The document has ${zip.entryCount} parts.`)
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
  } catch (cause) {
    throw damaged(cause)
  }
  let room = maxXmlBytes
  const budget = usualBudget()

  async function read(path: string, handler: XmlHandler): Promise<boolean> {
    const entry = entries.get(path.toLowerCase())
    if (entry === undefined) return false
    if (entry.isEncrypted()) throw new ServiceError('encrypted_file')
    room -= entry.uncompressedSize
    if (room < 0) throw tooComplex('Unpacked, the document has more than 32 MiB of text and layout.')
    await readXml(unpack(zip, entry), handler, budget)
    return true
  }

  return {
    read,
    async relations(path) {
      const { dir, base } = posix.parse(path)
      const found: Relation[] = []
      await read(posix.join(dir, '_rels', `${base}.rels`), {
        open(name, attribute) {
          if (name !== 'rel:Relationship') return
          const isExternal = attribute('TargetMode') === 'External'
          const target = attribute('Target') ?? ''
          found.push({
            id: attribute('Id') ?? '',
            type: attribute('Type')?.split('/').at(-1) ?? '',
            target: isExternal ? target : posix.resolve('/', dir, target).slice(1),
            isExternal,
          })
        },
      })
      return found
    },
  }
}

/** Unpacks an entry. yauzl stops as soon as it gets larger than it says. */
async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    yield* await zip.openReadStreamPromise(entry)
  } catch (cause) {
    throw damaged(cause)
  }
}
