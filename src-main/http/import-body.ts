import { type SharedText, shareText } from '#main/importing/document-text.ts'
import { ServiceError } from '#shared/errors.ts'
import { readJsonBody } from './json-body.ts'

/** The body of an import, for the worker thread. */
export type ImportBodyJob = {
  readonly pieces: readonly Uint8Array[]
  readonly contentType: string | undefined
}

/** The body of an import without its document. */
export type ImportBody = {
  readonly value: object
  /** The field `text`, which is empty in the value; null if it is not long. */
  readonly importText: SharedText | null
}

/** Limits of everything but the document, because the main thread checks it. 10,000 entries can be chosen by name. */
const maxOtherValues = 100_000
const maxOtherBytes = 4 * 1024 * 1024
/** Characters of a text that is cut out. */
const minCut = 64 * 1024

/**
 * Parses the body of an import over REST, or over RPC, which has the input in the field `json`. Cuts out the document.
 *
 * @throws ServiceError `invalid_input`, `unsupported_media_type`, `body_too_large`.
 */
export function readImportBody({ pieces, contentType }: ImportBodyJob): ImportBody {
  const body = Buffer.concat(pieces)
  const { value } = readJsonBody(body, contentType, { maxValues: maxOtherValues })
  const input = 'json' in value && typeof value.json === 'object' && value.json !== null ? value.json : value
  const text = 'text' in input && typeof input.text === 'string' ? input.text : ''
  const importText = text.length < minCut ? null : shareText(text)
  if (importText !== null) Reflect.set(input, 'text', '')
  if (Buffer.byteLength(JSON.stringify(value)) > maxOtherBytes)
    throw new ServiceError('body_too_large', { detail: 'An import has at most 4 MiB besides its document.' })
  return { value, importText }
}
