import { variablesIn } from '#shared/model/action-headers.ts'
import type { SourceHeader } from '#shared/model/import-source.ts'
import type { StoredSource } from '#shared/model/imported.ts'

/** Where a request says that its document is. */
export type DocumentAddress = {
  readonly url?: string | null | undefined
  readonly header?: SourceHeader | null | undefined
}

/**
 * Returns the address to keep of a document; nothing without one. A header is kept only if it takes its value from a
 * variable: the value of any other is a credential in plain text.
 */
export function addressOf({ url, header }: DocumentAddress): Pick<StoredSource, 'url' | 'header'> {
  if (url == null) return {}
  const isKept = header != null && variablesIn(header.value).length > 0
  return { url, ...(isKept && { header: { name: header.name, value: header.value } }) }
}

/** Returns what a connection keeps of its last import. The header of another address is not kept. @param importedAt ISO 8601. */
export function nextSource(
  last: StoredSource | undefined,
  source: Omit<StoredSource, 'importedAt'>,
  importedAt: string,
): StoredSource {
  const { header, ...rest } = last ?? {}
  const isElsewhere = source.url !== undefined && source.url !== last?.url
  return { ...rest, ...(header !== undefined && !isElsewhere && { header }), ...source, importedAt }
}

/**
 * Returns the address to fetch a document from: the given one, or else the one that was kept. The kept header belongs to
 * the kept address alone. Null if there is none.
 */
export function fetchedFrom(given: DocumentAddress, kept: StoredSource | undefined) {
  const url = given.url ?? kept?.url
  if (url === undefined) return null
  return { url, header: given.header ?? (url === kept?.url ? kept.header : undefined) }
}
