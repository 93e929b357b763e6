import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { cssVariables } from '../../../ui/css-variables.ts'
import { formatMs } from '../../../ui/format.ts'
import { formatSeconds } from '../widget/opening.ts'
import {
  axisMarks,
  type ExampleCall,
  exampleCall,
  limits,
  markStep,
  movedTime,
  type Stretch,
  waveOf,
} from './example-call.ts'
import classes from './voice.module.css'

type Times = { readonly silenceTimeout: number; readonly interruptionThreshold: number }

/** The longest axis on which the short stretches can be labelled, in milliseconds. */
const roomyEnd = 14_000

/** An example call on a time axis. Its two marks change the times. */
export function CallTimeline(props: Times & { readonly onChange: (times: Partial<Times>) => void }) {
  const { silenceTimeout, interruptionThreshold, onChange } = props
  const call = exampleCall(silenceTimeout, interruptionThreshold)
  const { caller, agent, pause, silence, interruption, end } = call
  const isRoomy = end <= roomyEnd
  const place = ({ from, to }: Stretch) =>
    cssVariables({ '--from': `${(from / end) * 100}%`, '--width': `${((to - from) / end) * 100}%` })
  const waves: readonly Spoken[] = [
    { who: 'caller', of: caller.start, says: '“I need to move my appointment' },
    { who: 'caller', of: caller.rest, says: 'to Thursday.”' },
    { who: 'caller', of: caller.sound, says: '“Mm-hm”' },
    {
      who: 'caller',
      of: caller.objection,
      says: '“Sorry, Friday.”',
      saysFrom: (interruption.to - interruption.from) / (caller.objection.to - caller.objection.from),
    },
    { who: 'agent', of: agent, says: '“Thursday works. I have ten or half…”' },
  ]
  return (
    <section className={classes.example} aria-label="Example call">
      <div className={classes.call}>
        <div className={classes.names}>
          <span data-who="caller">Caller</span>
          <span data-who="agent">Agent</span>
        </div>
        <div className={classes.lane} data-lane>
          <div className={classes.zone} data-mark="silence" style={place(silence)} />
          <div className={classes.zone} data-mark="interruption" style={place(interruption)} />
          <div className={classes.centre} />
          {isRoomy &&
            [
              {
                at: pause,
                ms: 450,
                isWrong: call.answersInPause,
                wrong: 'answers too soon',
                right: 'keeps listening',
              },
              {
                at: caller.sound,
                ms: 120,
                isWrong: call.stopsForSound,
                wrong: 'stops too soon',
                right: 'talks on',
              },
            ].map(({ at, ms, isWrong, wrong, right }) => (
              <div key={ms} className={classes.bracket} style={place(at)}>
                <span className={isWrong ? 'warn w5' : 't3'}>{`${ms} ms: ${isWrong ? wrong : right}`}</span>
              </div>
            ))}
          {waves.map(wave => (
            <Wave key={wave.says} {...wave} at={place(wave.of)} isRoomy={isRoomy} />
          ))}
          <Mark
            kind="silence"
            label="Silence timeout"
            value={silenceTimeout}
            limits={limits.silenceTimeout}
            end={end}
            at={place(silence)}
            onChange={ms => onChange({ silenceTimeout: ms })}
          />
          <Mark
            kind="interruption"
            label="Interruption threshold"
            value={interruptionThreshold}
            limits={limits.interruptionThreshold}
            end={end}
            at={place(interruption)}
            onChange={ms => onChange({ interruptionThreshold: ms })}
          />
          <Axis call={call} />
        </div>
      </div>
    </section>
  )
}

type Place = ReturnType<typeof cssVariables>

/** One utterance of the caller or the agent. */
type Spoken = {
  readonly who: 'caller' | 'agent'
  readonly of: Stretch
  readonly says: string
  /** Where the words begin, as a share of the stretch. */
  readonly saysFrom?: number
}

function Wave(props: Spoken & { readonly at: Place; readonly isRoomy: boolean }) {
  const { saysFrom = 0 } = props
  const bars = waveOf(props.of)
  return (
    <div className={classes.wave} data-who={props.who} style={props.at}>
      <svg viewBox={`0 0 ${bars.length * 10} 100`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((height, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar has no state
            key={index}
            x={index * 10 + 2}
            width={6}
            rx={3}
            y={50 - height * 50}
            height={height * 100}
          />
        ))}
      </svg>
      {props.isRoomy && <span style={{ marginLeft: `calc(${saysFrom * 100}% + 6px)` }}>{props.says}</span>}
    </div>
  )
}

/** A mark that is moved by the pointer or the arrow keys. */
function Mark(props: {
  readonly kind: 'silence' | 'interruption'
  readonly label: string
  readonly value: number
  readonly limits: readonly [least: number, most: number]
  readonly end: number
  readonly at: Place
  readonly onChange: (ms: number) => void
}) {
  const { kind, label, value, limits, end, at, onChange } = props
  const drag = useRef<{ readonly x: number; readonly value: number; readonly msPerPixel: number } | null>(
    null,
  )
  const [least, most] = limits

  function begin(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return
    const lane = event.currentTarget.closest('[data-lane]')
    const width = lane?.getBoundingClientRect().width ?? 0
    if (width === 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    // The scale at the start: it may change while the mark moves.
    drag.current = { x: event.clientX, value, msPerPixel: end / width }
  }
  function move({ clientX }: PointerEvent) {
    if (drag.current === null) return
    const { x, value: from, msPerPixel } = drag.current
    onChange(movedTime(from, (clientX - x) * msPerPixel, limits))
  }
  function press(event: KeyboardEvent) {
    const steps: Partial<Record<string, number>> = {
      ArrowLeft: -markStep,
      ArrowDown: -markStep,
      ArrowRight: markStep,
      ArrowUp: markStep,
      PageDown: -10 * markStep,
      PageUp: 10 * markStep,
      Home: -most,
      End: most,
    }
    const by = steps[event.key]
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onChange(movedTime(value, by, limits))
  }
  const shown = Number.isFinite(value) ? value : 0
  return (
    <div className={classes.mark} data-mark={kind} style={at}>
      <span className={classes.markLabel}>
        <b className="num">{formatMs(shown)}</b>
        {label}
      </span>
      <span
        className={classes.handle}
        role="slider"
        tabIndex={0}
        aria-label={`${label} in the example`}
        aria-valuemin={least}
        aria-valuemax={most}
        aria-valuenow={shown}
        aria-valuetext={`${shown} milliseconds`}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={() => {
          drag.current = null
        }}
        onPointerCancel={() => {
          drag.current = null
        }}
        onKeyDown={press}
      />
      <span className={classes.effect} data-left={end > roomyEnd && kind === 'silence' ? true : undefined}>
        {kind === 'silence' ? 'starts to answer' : 'stops'}
      </span>
    </div>
  )
}

function Axis({ call: { end, silence, interruption } }: { readonly call: ExampleCall }) {
  const isFree = (at: number) =>
    [silence.to, interruption.to].every(
      taken => at < taken - end * (end > roomyEnd ? 0.18 : 0.04) || at > taken + end * 0.18,
    )
  return (
    <div className={classes.axis} aria-hidden="true">
      {axisMarks(end).map(at => (
        <span key={at} style={{ left: `${(at / end) * 100}%` }}>
          {isFree(at) && formatSeconds(at)}
        </span>
      ))}
    </div>
  )
}
