import { SegmentedControl } from '@mantine/core'
import type { Ref } from 'react'
import type { ImportSource } from '#shared/model/import-comparison.ts'
import { ChooseFile } from '../../../entities/import-document/choose-file.tsx'
import { ImportText } from '../../../entities/import-document/import-text.tsx'
import { formatDay } from '../../../ui/format.ts'
import type { JsonEditorHandle } from '../../../ui/json-editor.tsx'
import { KeyButton } from '../../../ui/keys.tsx'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { problemOf } from '../../../ui/problem.ts'
import { UrlForm } from '../url-form.tsx'
import type { UrlSource } from '../use-import-source.ts'
import classes from './reimport.module.css'

export const ways = { url: 'URL', text: 'Paste or file' }
export type Way = keyof typeof ways

const accepted = '.json,.yaml,.yml,application/json,application/yaml,text/plain'

/** Chooses the document to compare with: at an address, or a text. */
export function SourceStep(props: {
  readonly kept: ImportSource | null
  readonly way: Way
  readonly onWay: (way: Way) => void
  readonly url: UrlSource
  readonly text: string
  readonly onText: (text: string) => void
  readonly onFile: (file: File) => void
  readonly onPaste: () => void
  /** Why a file or a text was not taken. */
  readonly refusal: string | null
  /** Why the last comparison failed, unless the form of the address says it. */
  readonly error: unknown
  readonly editor: Ref<JsonEditorHandle>
}) {
  const { kept, way, url, error, refusal } = props
  return (
    <section className={classes.source} aria-label="Source">
      <div className="row">
        <SegmentedControl aria-label="Source" data={optionsOf(ways)} value={way} onChange={props.onWay} />
        {way === 'text' && (
          <>
            <span className="push" />
            <ChooseFile accept={accepted} onFile={props.onFile} />
            <KeyButton keys="mod+v" onClick={props.onPaste}>
              Paste
            </KeyButton>
          </>
        )}
      </div>
      {way === 'url' ? (
        <UrlForm
          source={url}
          description={
            kept?.url === url.fields.url && kept.url !== ''
              ? `Kept since ${formatDay(kept.importedAt)}; without a header here, with the one that was kept.`
              : 'Fetched by the service. An update keeps it for the next time.'
          }
        />
      ) : (
        <div className={classes.editor}>
          <ImportText
            fileName={null}
            ref={props.editor}
            label="Text to compare with"
            value={props.text}
            onChange={props.onText}
            language={/^\s*[{[]/.test(props.text) ? 'json' : 'text'}
            autoFocus
            foot={false}
            frame={false}
          />
        </div>
      )}
      {refusal !== null && <Note tone="bad">{refusal}</Note>}
      {error !== null && <Problem error={error} />}
    </section>
  )
}

/** Issues of a document that are listed. */
const maxIssues = 5

function Problem({ error }: { readonly error: unknown }) {
  const { message, issues } = problemOf(error)
  const errors = issues.filter(({ severity }) => severity !== 'warning')
  return (
    <Note tone="bad">
      <p>{message}</p>
      {errors.slice(0, maxIssues).map(({ line, message: sentence }) => (
        <p key={`${line} ${sentence}`} className="sm">
          {line !== undefined && `Line ${line}: `}
          {sentence}
        </p>
      ))}
    </Note>
  )
}
