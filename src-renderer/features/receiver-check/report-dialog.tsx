import { Button, Checkbox, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { CheckId } from '#shared/model/receiver-check.ts'
import { reportFormats } from '#shared/receiver-check/report/formats.ts'
import type { Report } from '#shared/receiver-check/report/report.ts'
import { client } from '../../client/client.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { downloadText } from '../../ui/download.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import classes from './receiver-check.module.css'

type Format = keyof typeof reportFormats
const labels = optionsOf(reportFormats).map(({ value, label }) => ({ value, label: label.label }))
/** The longest answer in a report, in characters. */
const maxAnswer = 2000

/** Shows a report in a format, to copy it or to save it. */
export function ReportDialog({ report, onClose }: { readonly report: Report; readonly onClose: () => void }) {
  const [format, setFormat] = useState<Format>('markdown')
  const [withAnswers, setWithAnswers] = useState(false)
  const { data: answers, isFetching } = useQuery({
    queryKey: ['session', 'report-answers', report.at],
    queryFn: () => answersOf(report),
    enabled: withAnswers,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = withAnswers && answers !== undefined ? { ...report, answers: new Map(answers) } : report
  const { label, extension, type, render } = reportFormats[format]
  const text = render(shown)
  return (
    <FormDialog
      title="Share the report"
      size={640}
      submitLabel="Copy"
      keys="mod+enter"
      cancelLabel="Close"
      isDisabled={withAnswers && isFetching}
      onSubmit={() => void copyWithToast(text, 'Report')}
      onClose={onClose}
      foot={
        <>
          <span className={`sm t3 ${classes.hint}`}>JUnit XML shows the checks in your build.</span>
          <span className="push" />
          <Button
            size="md"
            disabled={withAnswers && isFetching}
            onClick={() => downloadText(`receiver-check${extension}`, text, type)}
          >
            Save to file
          </Button>
        </>
      }
    >
      <div className="row">
        <SegmentedControl aria-label="Format" value={format} onChange={setFormat} data={labels} />
        <span className="push" />
        <Checkbox
          label="With the answers"
          checked={withAnswers}
          onChange={event => setWithAnswers(event.currentTarget.checked)}
        />
      </div>
      <div className={classes.report}>
        <CodeBlock
          label={`Report as ${label}`}
          lines={text
            .trimEnd()
            .split('\n')
            .map(line => [{ text: line, kind: 'key' as const }])}
        />
      </div>
      <p className={classes.safe}>
        <ShieldCheck />
        {withAnswers
          ? 'No secret, token or signature is in it. What your receiver answered is.'
          : 'No secret, token or signature is in it. Argument values are left out.'}
      </p>
    </FormDialog>
  )
}

/** Reads the answers of the calls that are still stored. */
async function answersOf({ check }: Report): Promise<[CheckId, string][]> {
  const calls = check.checks.map(async ({ id, callId }): Promise<[CheckId, string][]> => {
    if (callId === null) return []
    const body = await client.calls.get({ callId }).then(
      ({ response }) => response?.body ?? '',
      () => '',
    )
    return body === '' ? [] : [[id, body.slice(0, maxAnswer)]]
  })
  return (await Promise.all(calls)).flat()
}
