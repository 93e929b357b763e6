import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import type { ImportAuth } from '#shared/model/import-auth.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type { ImportIssue, ImportPreview } from '#shared/model/import-preview.ts'
import type { ServerTargets } from '#shared/model/import-server.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { tooLargeWords } from '../../entities/import-document/decode-import.ts'
import { problemOf } from '../../ui/problem.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import type { Done } from './done-step.tsx'
import { previewDelay } from './import-labels.ts'
import type { ImportSource } from './use-import-source.ts'

/** The target of an import. Without a connection, it is a new connection of the workspace. */
type ImportTarget = {
  readonly connectionId: string | null
  readonly workspaceId: string | null
  /** Whether a connection without a base URL gets the one of the document. */
  readonly useBaseUrl: boolean
  readonly placeholders: Constants
  /** The sign-in that is asked for; null for none. */
  readonly auth?: ImportAuth | null
  /** The target of each server. */
  readonly servers: ServerTargets
}

export type PreviewState = {
  /** The preview of the debounced text. Null without a text. */
  readonly preview: ImportPreview | null
  /** The problems of the text, or that it is too large to be sent. */
  readonly issues: readonly ImportIssue[]
  /** Whether the preview is of the current text. */
  readonly isCurrent: boolean
  readonly isChecking: boolean
  /** The size of the debounced text in UTF-8. */
  readonly bytes: number
  readonly error: unknown
  readonly checkAgain: () => void
  readonly cancel: () => void
}

const none: readonly ImportIssue[] = []
const tooLarge: readonly ImportIssue[] = [
  { path: '', message: tooLargeWords('The text'), line: 1, column: 1, severity: 'error' },
]

/**
 * Previews the text, debounced, and again when the configuration changes.
 *
 * @param isWatching false keeps the last preview.
 */
export function useImportPreview(
  { text, revision, document }: ImportSource,
  { connectionId, workspaceId, useBaseUrl, placeholders, auth, servers }: ImportTarget,
  isWatching: boolean,
): PreviewState {
  const id = useId()
  const input = useMemo(
    () => ({
      ...{ text, revision, document, connectionId, workspaceId, useBaseUrl, placeholders, servers },
      ...(auth !== undefined && { auth }),
    }),
    [text, revision, document, connectionId, workspaceId, useBaseUrl, placeholders, auth, servers],
  )
  const [rested] = useDebouncedValue(input, previewDelay(text.length))
  // Measures the debounced text, because a long text takes tens of milliseconds.
  const bytes = useMemo(() => new TextEncoder().encode(rested.text).length, [rested.text])
  const isLarge = bytes > maxImportBytes
  const isUsable = text.trim() !== '' && !(isLarge && rested.document === document)
  // It starts like the contract's keys, so that a change of the configuration invalidates it. The revision stands for
  // the text, which may have megabytes.
  const { text: _text, ...named } = rested
  const queryKey = [['imports', 'preview'], { ...named, dialog: id }]
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const { revision: _revision, document, ...request } = rested
      return { document, preview: await client.imports.preview(request, { signal }) }
    },
    enabled: isWatching && isUsable && !isLarge && rested.text.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const isRested = rested === input
  // What was found in another document says nothing of this one.
  const found = query.data?.document === document ? query.data.preview : null
  const isOfOther = rested.document !== document
  const preview = isUsable ? found : null
  return {
    preview,
    bytes,
    issues: isLarge && !isOfOther ? tooLarge : (preview?.issues ?? none),
    isCurrent: isUsable && isRested && found !== null && !query.isPlaceholderData,
    isChecking: isUsable && (!isRested || query.isFetching),
    error: isUsable && !isOfOther ? query.error : null,
    checkAgain: () => void query.refetch(),
    cancel: () => void queries.cancelQueries({ queryKey }),
  }
}

/** An import with the preview that the user saw. */
type Wanted = {
  readonly input: Parameters<typeof client.imports.apply>[0]
  readonly preview: ImportPreview
}

/**
 * Imports a text: all of it or nothing. It cannot be cancelled.
 *
 * @param on.refused called if the text has become invalid since the preview.
 */
export function useApplyImport(on: { readonly done: (done: Done) => void; readonly refused: () => void }) {
  const apply = useMutation({
    mutationFn: ({ input }: Wanted) => client.imports.apply(input),
    gcTime: 0,
    async onSuccess(result, { preview }) {
      on.done({ result, preview })
      await queries.invalidateQueries({ queryKey: api.connections.key() })
    },
    onError(error, wanted) {
      if (problemOf(error).code === 'invalid_document') {
        on.refused()
        toastProblem('Nothing was imported', error)
      } else toastProblem('The import failed', error, () => apply.mutate(wanted))
    },
  })
  return apply
}
