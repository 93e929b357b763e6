import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DocumentSource } from '#shared/model/import-source.ts'
import { client } from '../../client/client.ts'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'

/** How a document comes into the dialog. */
export const sourceWays = { paste: 'Paste', file: 'File', url: 'URL' }
export type SourceWay = keyof typeof sourceWays

/** The text to import, and where it comes from. */
export type ImportSource = {
  readonly text: string
  /** The name of its file. Null if it was typed, pasted or fetched. */
  readonly fileName: string | null
  /** Where it was fetched. Null for any other text, and once it is edited. */
  readonly fetched: (DocumentSource & { readonly tookMs: number }) | null
  /** Whether closing the dialog would lose it. */
  readonly isTyped: boolean
  /** Changes with the text. */
  readonly revision: number
  /** Changes when a file, a pasted text or a fetched one replaces the text, not while it is edited. */
  readonly document: number
}

/** The fields of the URL form. */
export type UrlFields = { readonly url: string; readonly headerName: string; readonly headerValue: string }

export const noUrl: UrlFields = { url: '', headerName: '', headerValue: '' }
export const urlFields = {
  ...{ url: 'address', headerName: 'header' },
  headerValue: { label: 'header value', stored: null },
}

/** Returns what to fetch. */
export function wantedOf({ url, headerName, headerValue }: UrlFields): DocumentSource {
  const name = headerName.trim()
  return { url: url.trim(), ...(name !== '' && { header: { name, value: headerValue } }) }
}

const blank: ImportSource = {
  text: '',
  fileName: null,
  fetched: null,
  isTyped: false,
  revision: 0,
  document: 0,
}

/**
 * The source of an import.
 *
 * @param onFetched is called when a fetched document has replaced the text.
 */
export function useImportSource(
  given: Partial<Pick<ImportSource, 'text' | 'fileName'>>,
  onFetched: () => void,
) {
  const { text = '', fileName = null } = given
  const [source, setSource] = useState<ImportSource>({ ...blank, text, fileName })
  const [way, setWay] = useState<SourceWay>('paste')
  const missing = source.isTyped ? ['the document'] : []
  const stored = useStoredFields<UrlFields>('import', urlFields, noUrl, missing)
  const { values: fields, change: setFields } = stored
  const put = (next: Partial<ImportSource>) =>
    setSource(({ revision, document }) => ({
      ...{ ...blank, ...next },
      revision: revision + 1,
      document: document + 1,
    }))
  const fetching = useMutation({
    mutationFn: (wanted: DocumentSource) => client.imports.fetch(wanted),
    gcTime: 0,
    onSuccess({ text: found, tookMs }, wanted) {
      put({ text: found, fetched: { ...wanted, tookMs } })
      onFetched()
    },
  })
  const wanted = wantedOf(fields)
  return {
    source,
    /** Says what was restored after a reload. */
    note: stored.note,
    way,
    setWay,
    /** Replaces the text by a file or a pasted text. */
    replace(next: string, name: string | null) {
      setWay(name === null ? 'paste' : 'file')
      put({ text: next, fileName: name, isTyped: name === null })
    },
    type(next: string) {
      // Without a text, a file would have no editor to type in.
      if (next.trim() === '' && way === 'file') setWay('paste')
      setSource(before => ({
        ...(next.trim() === '' ? blank : { ...before, isTyped: true, fetched: null }),
        text: next,
        revision: before.revision + 1,
        document: before.document,
      }))
    },
    url: {
      fields,
      change(next: Partial<UrlFields>) {
        setFields(next)
        fetching.reset()
      },
      /** Whether the text is the one at this address. */
      isFetched:
        source.fetched !== null &&
        source.fetched.url === wanted.url &&
        source.fetched.header?.name === wanted.header?.name &&
        source.fetched.header?.value === wanted.header?.value,
      isFetching: fetching.isPending,
      error: fetching.error,
      fetch(next: Partial<UrlFields> = {}) {
        if (fetching.isPending) return
        const { url = wanted.url } = next
        if (url !== '') fetching.mutate({ ...wanted, url: url.trim() })
      },
    },
  }
}

export type UrlSource = ReturnType<typeof useImportSource>['url']
