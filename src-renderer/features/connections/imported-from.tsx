import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useOverlays } from '../../overlays.tsx'
import { formatDate } from '../../ui/format.ts'
import classes from './overview-tab.module.css'

/** Says which document a connection was imported from, and imports it again. Nothing for one that was not imported. */
export function ImportedFrom({ connectionId }: { readonly connectionId: string }) {
  const { open } = useOverlays()
  const { data: source } = useQuery(api.imports.source.queryOptions({ input: { connectionId } }))
  if (source == null) return null
  const { url, importedAt } = source
  return (
    <section className={`row ${classes.imported}`} aria-label="Document">
      <span className="sm t2 cut grow" title={url ?? undefined}>
        Imported {formatDate(importedAt)}
        {url !== null && (
          <>
            {' '}
            from <code>{url.replace(/^https?:\/\//i, '')}</code>
          </>
        )}
      </span>
      <Button onClick={() => open({ kind: 'reimport', connectionId })}>Import again</Button>
    </section>
  )
}
