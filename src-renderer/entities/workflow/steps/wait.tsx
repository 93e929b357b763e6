import { NumberInput, SegmentedControl } from '@mantine/core'
import { Clock } from 'lucide-react'
import { z } from 'zod'
import { maxWaitSeconds, type WaitStep } from '#shared/workflows/steps/wait.ts'
import { formatClock } from '../../../ui/format.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import { pathKey } from '../step-paths.ts'
import { FieldProblems, FieldRow, TemplateRow } from './field-parts.tsx'
import { type FieldsOf, plain, type StepView, useStepEditing } from './step-view.ts'
import { TemplateText } from './template-text.tsx'

const WaitOutput = z.object({ until: z.string(), note: z.string().optional() })

export const wait: StepView<WaitStep> = {
  ...plain,
  name: 'Wait',
  purpose: 'Waits for a duration, or until a date and time',
  icon: Clock,
  key: 'wait',
  blank: key => ({ key, type: 'wait', seconds: 60 }),
  title: () => wait.name,
  outcome(_step, { output, nextAt, began }) {
    const { data } = WaitOutput.safeParse(output)
    const until = data?.until ?? nextAt
    if (until === null) return null
    return `Until ${formatClock(until, began)}${data?.note === undefined ? '' : ', which had already passed'}`
  },
  Summary: ({ step: { seconds = 0, until } }) =>
    until === undefined ? durationText(seconds) : <TemplateText text={`until ${until}`} />,
  Fields,
}

/** Returns “10 s”, “5 min”, “1 h 30 min” or “2 d”. */
export function durationText(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ]
  const text = parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ')
  return text === '' ? '0 s' : text
}

function Fields({ step, path }: FieldsOf<WaitStep>) {
  const { setStep } = useStepEditing()
  const { seconds, until, ...rest } = step
  return (
    <>
      <FieldRow label="Wait">
        <SegmentedControl
          size="xs"
          aria-label="Wait"
          value={until === undefined ? 'for' : 'until'}
          data={optionsOf({ for: 'For a duration', until: 'Until a date and time' })}
          onChange={kind =>
            setStep(path, { ...rest, ...(kind === 'until' ? { until: '' } : { seconds: 60 }) })
          }
        />
      </FieldRow>
      {until === undefined ? (
        <FieldRow label="Seconds" path={[...path, 'seconds']}>
          <NumberInput
            size="sm"
            aria-label="Seconds"
            min={1}
            max={maxWaitSeconds}
            allowDecimal={false}
            value={seconds ?? ''}
            onChange={typed =>
              typeof typed === 'number' &&
              setStep(path, { ...rest, seconds: typed }, `${pathKey(path)}.seconds`)
            }
          />
          <span className="sm t3">{durationText(seconds ?? 0)}</span>
        </FieldRow>
      ) : (
        <TemplateRow
          label="Until"
          path={[...path, 'until']}
          step={path}
          value={until}
          placeholder="{{due_at}}"
          onChange={(next, field) => setStep(path, { ...rest, until: next }, field)}
        />
      )}
      <FieldProblems path={[...path, 'seconds']} />
    </>
  )
}
