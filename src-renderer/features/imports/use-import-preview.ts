import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type {
  ImportFormat,
  ImportIssue,
  ImportPreview,
  ImportSelection,
} from '#shared/model/import-preview.ts'
import { api, client } from '../../client/client.ts'
import { problemOf } from '../../client/problem.ts'
import { toastProblem } from '../../ui/toasts.tsx'
import { tooLargeWords } from './decode-import.ts'
import type { Done } from './done-step.tsx'
import { previewDelay } from './import-words.ts'
import type { ImportSource } from './use-import-source.ts'

/** Where an import goes; without a connection into a new one of the workspace. */
type ImportTarget = {
  readonly connectionId: string | null
  readonly workspaceId: string | null
  /** Gives a connection without a base URL the document's. */
  readonly useBaseUrl: boolean
}

/** What a call of the service's imports takes. */
type ImportInput = ImportTarget & {
  readonly text: string
  readonly format: ImportFormat
  readonly only: ImportSelection | null
}

export type PreviewState = {
  /** Of the text as it was when it last rested; null without one. */
  readonly preview: ImportPreview | null
  /** What is to be said of it, be it that it is not sent anywhere at all. */
  readonly issues: readonly ImportIssue[]
  /** Whether it is of the text as it stands now. */
  readonly isCurrent: boolean
  readonly isChecking: boolean
  /** Of the text in UTF-8, as it was when it last rested. */
  readonly bytes: number
  readonly error: unknown
  readonly checkAgain: () => void
  readonly cancel: () => void
}

const none: readonly ImportIssue[] = []
const tooLarge: readonly ImportIssue[] = [
  {
    path: '',
    message: tooLargeWords('The text'),
    line: 1,
    column: 1,
    severity: 'error',
  },
]

/**
 * What the service says of the text whenever that rests, and again whenever its configuration changes.
 *
 * @param isWatching false keeps what was said last.
 */
export function useImportPreview(
  { text, format, revision }: ImportSource,
  { connectionId, workspaceId, useBaseUrl }: ImportTarget,
  isWatching: boolean,
): PreviewState {
  const id = useId()
  const queries = useQueryClient()
  const input = useMemo(
    () => ({ text, revision, format, connectionId, workspaceId, useBaseUrl }),
    [text, revision, format, connectionId, workspaceId, useBaseUrl],
  )
  const [rested] = useDebouncedValue(input, previewDelay(text.length))
  // Measured when it rests: that takes tens of milliseconds of a long text, too long for each key.
  const bytes = useMemo(() => new TextEncoder().encode(rested.text).length, [rested.text])
  const isLarge = bytes > maxImportBytes
  const isUsable = text.trim() !== '' && !isLarge
  // As the contract's own keys begin, so that changes of the configuration reach it; without the text, which
  // may have megabytes and is told by its revision.
  const { text: _text, ...named } = rested
  const queryKey = [['imports', 'preview'], { ...named, dialog: id }]
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const { revision: _revision, ...request } = rested
      return client.imports.preview(request, { signal })
    },
    enabled: isWatching && isUsable && rested.text.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const isRested = rested === input
  const preview = isUsable ? (query.data ?? null) : null
  return {
    preview,
    bytes,
    issues: isLarge ? tooLarge : (preview?.issues ?? none),
    isCurrent: isUsable && isRested && query.data !== undefined && !query.isPlaceholderData,
    isChecking: isUsable && (!isRested || query.isFetching),
    error: isUsable ? query.error : null,
    checkAgain: () => void query.refetch(),
    cancel: () => void queries.cancelQueries({ queryKey }),
  }
}

/** What is imported, and what was seen of it before. */
type Wanted = { readonly input: ImportInput; readonly preview: ImportPreview }

/**
 * Imports a text. It cannot be called back: it is written at once, all of it or none.
 *
 * @param on.refused the text was fine when it was previewed and is no longer.
 */
export function useApplyImport(on: { readonly done: (done: Done) => void; readonly refused: () => void }) {
  const queries = useQueryClient()
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
      } else
        toastProblem('The import did not come through', error, [
          { label: 'Try again', run: () => apply.mutate(wanted) },
        ])
    },
  })
  return apply
}
