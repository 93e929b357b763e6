import { createHash } from 'node:crypto'
import type { FormPart, WrittenBody } from '#shared/request/write-request.ts'
import type { HeaderMap } from './header-values.ts'
import type { OutboundRequest } from './outbound-request.ts'

/** A body as it is sent. */
type EncodedBody = Pick<OutboundRequest, 'encoding'> & {
  /** Bytes are characters of Latin-1. */
  readonly text: string
  /** The Content-Type of a multipart body, which has its boundary. */
  readonly headers: HeaderMap
  /** The text that is shown in its place; null for the text itself. */
  readonly shown: string | null
}

/** Returns a body as it is sent. Pure: the boundary of a multipart body is a digest of its parts. */
export function encodedBody(body: WrittenBody): EncodedBody {
  switch (body.kind) {
    case 'none':
      return { text: '', encoding: 'utf8', headers: {}, shown: null }
    case 'text':
      return { text: body.text, encoding: 'utf8', headers: {}, shown: null }
    case 'bytes':
      return {
        text: latin1(body.base64, 'base64'),
        encoding: 'latin1',
        headers: {},
        shown: sizeOf(body.base64),
      }
    case 'parts':
      return multipart(body.parts)
  }
}

function multipart(parts: readonly FormPart[]): EncodedBody {
  const boundary = `form-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`
  const written = (write: (part: FormPart) => string) =>
    `${parts.map(part => `--${boundary}\r\n${write(part)}\r\n`).join('')}--${boundary}--\r\n`
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  const text = written(part => latin1(headOf(part)) + contentOf(part))
  return { text, encoding: 'latin1', headers, shown: written(part => headOf(part) + shownContent(part)) }
}

/** Returns the headers of a part, and the empty line after them. */
function headOf({ name, content, contentType }: FormPart): string {
  const quoted = name.replace(/["\r\n]/g, character => encodeURIComponent(character))
  const file = 'base64' in content ? `; filename="${quoted}"` : ''
  const type = contentType === null ? '' : `Content-Type: ${contentType}\r\n`
  return `Content-Disposition: form-data; name="${quoted}"${file}\r\n${type}\r\n`
}

function contentOf({ content }: FormPart): string {
  return 'text' in content ? latin1(content.text) : latin1(content.base64, 'base64')
}

function shownContent({ content }: FormPart): string {
  return 'text' in content ? content.text : sizeOf(content.base64)
}

/** Returns bytes as characters of Latin-1. */
function latin1(text: string, encoding: 'utf8' | 'base64' = 'utf8'): string {
  return Buffer.from(text, encoding).toString('latin1')
}

function sizeOf(base64: string): string {
  return `(${Buffer.byteLength(base64, 'base64')} bytes)`
}
