import { Button, ColorInput, ColorSwatch } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Widget } from '#shared/model/platform/widget.ts'
import { Unknown } from '../../../ui/badges.tsx'
import { Note } from '../../../ui/note.tsx'
import type { AgentForm } from '../agent-page.tsx'
import { contrast, formatContrast, inkFor, leastContrast, parseColour, readableOn } from './contrast.ts'
import classes from './widget.module.css'

const pairs = [
  { name: 'Bubble', background: 'bubbleColor', text: 'bubbleTextColor' },
  { name: 'Header', background: 'chatHeaderBackgroundColor', text: 'chatHeaderTextColor' },
] as const

type ColourField = Extract<keyof Widget, `${string}Color`>

/** The colours with the contrast of each pair, and a better text colour for one that is hard to read. */
export function ColourFields({ draft, change, problems }: AgentForm<Widget>) {
  const field = (name: ColourField, label: string) => (
    <ColorInput
      aria-label={label}
      size="sm"
      classNames={{ input: 'mono', colorPreview: classes.swatch }}
      // Eight digits only where the colour has them: the picker would add an opacity otherwise.
      format={draft[name].length === 9 ? 'hexa' : 'hex'}
      withEyeDropper={false}
      fixOnBlur={false}
      value={draft[name]}
      error={problems[name] !== undefined}
      aria-describedby={problems[name] === undefined ? undefined : `problem-${name}`}
      onChange={value => change({ [name]: value })}
    />
  )
  const chat = parseColour(draft.chatBackgroundColor)
  const ink = chat && parseColour(inkFor(chat))
  return (
    <>
      <div className={classes.colours}>
        <span />
        <span className="sm w5 t2">Background</span>
        <span className="sm w5 t2">Text</span>
        <span className={`sm w5 t2 ${classes.ratioHead}`}>Contrast</span>
        {pairs.map(({ name, background, text }) => (
          <div key={name} className={classes.pair}>
            <span>{name}</span>
            {field(background, `${name} background`)}
            {field(text, `${name} text`)}
            <Ratio value={ratioOf(draft[text], draft[background])} />
            <Problem field={background} text={problems[background]} />
            <Problem field={text} text={problems[text]} />
          </div>
        ))}
        <div className={classes.pair}>
          <span>Chat</span>
          {field('chatBackgroundColor', 'Chat background')}
          <span className="sm t3">Black or white</span>
          <Ratio value={chat && ink && contrast(ink, chat)} />
          <Problem field="chatBackgroundColor" text={problems.chatBackgroundColor} />
        </div>
      </div>
      {pairs.map(({ name, background, text }) => {
        const ratio = ratioOf(draft[text], draft[background])
        const below = parseColour(draft[background])
        if (ratio === null || below === null || ratio >= leastContrast) return null
        const better = readableOn(below)
        return (
          <div key={name} className={classes.remedy}>
            <Note tone="warn">
              <span className="row">
                {`The ${name.toLowerCase()}’s text is hard to read. It needs ${leastContrast} : 1.`}
                <span className="push" />
                <Button
                  size="xs"
                  leftSection={<ColorSwatch color={better} size={12} radius={3} />}
                  onClick={() => change({ [text]: better })}
                >
                  {`Use ${better}, ${formatContrast(ratioOf(better, draft[background]) ?? 1)}`}
                </Button>
              </span>
            </Note>
          </div>
        )
      })}
    </>
  )
}

/** Returns the contrast of two colours; null if one is not a colour. */
function ratioOf(text: string, background: string): number | null {
  const [above, below] = [parseColour(text), parseColour(background)]
  return above && below && contrast(above, below)
}

function Problem({ field, text }: { readonly field: ColourField; readonly text: string | undefined }) {
  return (
    text !== undefined && (
      <p id={`problem-${field}`} className={`sm bad ${classes.problem}`}>
        {text}
      </p>
    )
  )
}

function Ratio({ value }: { readonly value: number | null }) {
  if (value === null) return <Unknown />
  const isReadable = value >= leastContrast
  const Icon = isReadable ? CircleCheck : TriangleAlert
  return (
    <span className={`sm num ${classes.ratio} ${isReadable ? '' : 'warn'}`}>
      <Icon className={isReadable ? 'ok' : 'warn'} />
      {`${formatContrast(value)}${isReadable ? '' : ', hard to read'}`}
    </span>
  )
}
