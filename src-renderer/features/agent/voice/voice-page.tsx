import { SegmentedControl, Slider, TextInput } from '@mantine/core'
import { useId } from 'react'
import { responseRates, type Voice } from '#shared/model/platform/voice.ts'
import { formatNumber } from '../../../ui/format.ts'
import { AgentPage, AgentSection } from '../agent-page.tsx'
import { LanguageSelect } from '../languages/language-select.tsx'
import { NumberField } from '../number-field.tsx'
import { useShape } from '../use-shapes.ts'
import { CallTimeline } from './call-timeline.tsx'
import classes from './voice.module.css'

/** The name of each field in “Unsaved: silence timeout”. */
const words: Readonly<Record<keyof Voice, string>> = {
  voice: 'voice',
  responseRate: 'response rate',
  silenceTimeout: 'silence timeout',
  interruptionThreshold: 'interruption threshold',
  language: 'language',
  accent: 'accent',
}

const rates: Readonly<Record<Voice['responseRate'], string>> = {
  rapid: 'Rapid',
  normal: 'Normal',
  patient: 'Patient',
}

/** Returns “silence timeout 500 → 700 ms” if only one time has changed. */
function summaryOf(draft: Voice, changed: readonly string[], saved: Voice): string | null {
  const [field, ...more] = changed
  if (more.length > 0 || (field !== 'silenceTimeout' && field !== 'interruptionThreshold')) return null
  if (Number.isNaN(draft[field])) return null
  return `${words[field]} ${formatNumber(saved[field])} → ${formatNumber(draft[field])} ms`
}

/** How the agent sounds on a call, and when it speaks. */
export function VoicePage() {
  return (
    <AgentPage
      path="/agent/voice"
      saved={useShape('voice')}
      heading="Voice"
      intro="How the agent sounds on a call, when it speaks and when it stops."
      fields={words}
      summary={summaryOf}
      hints={{ 'arrowleft arrowright': 'move the marker by 50 ms' }}
      foot={() => 'Drag the two markers on the time line'}
    >
      {({ draft, change, problems }) => (
        <>
          <AgentSection title="Taking turns">
            <div className={classes.fields}>
              <Time
                label="Silence timeout"
                help="Shorter answers sooner, but cuts off people who think."
                least={100}
                most={2500}
                tone="silence"
                value={draft.silenceTimeout}
                error={problems.silenceTimeout}
                onChange={silenceTimeout => change({ silenceTimeout })}
              />
              <Time
                label="Interruption threshold"
                help="Longer talks on through coughs and “mm-hm”."
                least={0}
                most={1000}
                tone="interruption"
                value={draft.interruptionThreshold}
                error={problems.interruptionThreshold}
                onChange={interruptionThreshold => change({ interruptionThreshold })}
              />
              <div className={classes.field}>
                <span className="sm w5 t2">Response rate</span>
                <SegmentedControl
                  size="xs"
                  aria-label="Response rate"
                  value={draft.responseRate}
                  data={responseRates.map(value => ({ value, label: rates[value] }))}
                  onChange={value => {
                    const responseRate = responseRates.find(rate => rate === value)
                    if (responseRate !== undefined) change({ responseRate })
                  }}
                />
                <p className="sm t3">How soon it speaks once silence is assumed.</p>
              </div>
            </div>
            <CallTimeline
              silenceTimeout={draft.silenceTimeout}
              interruptionThreshold={draft.interruptionThreshold}
              onChange={change}
            />
          </AgentSection>
          <AgentSection title="Sound">
            <div className={classes.fields}>
              <TextInput
                label="Voice"
                description="The provider’s name of a voice. Empty for its default."
                value={draft.voice}
                error={problems.voice}
                onChange={event => change({ voice: event.currentTarget.value })}
              />
              <LanguageSelect
                label="Language"
                value={draft.language}
                error={problems.language}
                onChange={language => change({ language })}
              />
              <TextInput
                label="Accent"
                description="Such as Scottish. Empty for the voice’s own."
                value={draft.accent}
                error={problems.accent}
                onChange={event => change({ accent: event.currentTarget.value })}
              />
            </div>
          </AgentSection>
        </>
      )}
    </AgentPage>
  )
}

/** A time as a number and as a slider over its usual range. */
function Time(props: {
  readonly label: string
  readonly help: string
  readonly least: number
  readonly most: number
  readonly tone: 'silence' | 'interruption'
  readonly value: number
  readonly error: string | undefined
  readonly onChange: (ms: number) => void
}) {
  const { label, help, least, most, tone, value, error, onChange } = props
  const id = useId()
  return (
    <div className={classes.field}>
      <div className={classes.fieldHead}>
        <label className="sm w5 t2" htmlFor={id}>
          {label}
        </label>
        <span className="push" />
        <NumberField
          id={id}
          size="sm"
          w={92}
          hideControls
          rightSection={<span className="sm t3">ms</span>}
          value={value}
          error={error !== undefined}
          aria-describedby={`${id}-help`}
          onChange={onChange}
        />
      </div>
      <Slider
        className={classes.slider ?? ''}
        data-mark={tone}
        size={4}
        thumbSize={14}
        label={null}
        thumbLabel={`${label}, slider`}
        thumbProps={{ 'aria-valuetext': `${value} milliseconds` }}
        min={least}
        max={most}
        step={50}
        value={Number.isNaN(value) ? least : Math.min(most, Math.max(least, value))}
        onChange={onChange}
      />
      <p id={`${id}-help`} className={`sm ${error === undefined ? 't3' : 'bad'}`}>
        {error ?? help}
      </p>
    </div>
  )
}
