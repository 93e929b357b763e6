import { deflateRawSync } from 'node:zlib'

/** A ZIP archive of deflated entries; `size` is what an entry claims to have unpacked. */
export function zip(entries: readonly { name: string; bytes: Uint8Array; size?: number }[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, bytes, size = bytes.length } of entries) {
    const packed = deflateRawSync(bytes, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml"
ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`

/** The part that makes an archive a Word document. */
export const contentTypes = { name: '[Content_Types].xml', bytes: Buffer.from(types) }

/** A Word document of these parts, by path; `size` is what its text claims to have unpacked. */
export function docx(
  document: string | Uint8Array,
  { size, parts = {} }: { size?: number; parts?: Readonly<Record<string, string>> } = {},
): Buffer {
  return zip([
    contentTypes,
    { name: 'word/document.xml', bytes: Buffer.from(document), ...(size !== undefined && { size }) },
    ...Object.entries(parts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
  ])
}

const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"
xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"
xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"
xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"`

/** An XML part with this element around its contents. */
export const wordPart = (name: string, inner: string) => `<w:${name} ${namespaces}>${inner}</w:${name}>`
export const wordXml = (inner: string) => wordPart('document', `<w:body>${inner}</w:body>`)

/** The parts that a document refers to, by type and target. */
export const relationships = (list: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"${/^\w+:/.test(target) ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`
