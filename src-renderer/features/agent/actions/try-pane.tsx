import { Button, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react'
import { Fragment, useRef, useState } from 'react'
import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'
import { fillVariables, splitAtVariables } from '#shared/platform/text-variables.ts'
import { Variable } from '../../../ui/badges.tsx'
import { capitalized, formatCount } from '../../../ui/format.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import pane from '../../../ui/pane.module.css'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import type { TextShapes } from '../use-shapes.ts'
import classes from './actions-page.module.css'
import { type Channel, keywordOf, type Tried, trySentence } from './try-sentence.ts'

type Values = Readonly<Record<string, string>>

/** Maximum number of responses and forms that are shown. */
const most = 5

/** Tries a sentence against the keywords, and shows the responses with values. */
export function TryPane(props: {
  readonly draft: TextShapes
  readonly sentence: string
  readonly onSentence: (sentence: string) => void
  /** Values of variables and of the form's fields. */
  readonly values: Values
  readonly onValues: (values: Values) => void
  /** The response that is open, which is shown alone. */
  readonly response: number | null
}) {
  const { draft, sentence, onSentence, values, onValues, response } = props
  const [channel, setChannel] = useState<Channel>('chat')
  const actions = draft['conversation-actions']
  const tried = trySentence(sentence, channel, { sms: draft['sms-keywords'], actions })
  const setValue = (name: string, value: string) => {
    const others = Object.fromEntries(Object.entries(values).filter(([one]) => one !== name))
    onValues(value === '' ? others : { ...others, [name]: value })
  }
  const input = useRef<HTMLTextAreaElement>(null)
  useShortcut({ keys: 'mod+enter', label: 'Try a sentence', group: 'Actions' }, () => input.current?.select())
  const open = response === null ? undefined : draft['text-responses'][response]
  return (
    <section className={classes.try} aria-label="Try a sentence">
      <div className={pane.bar}>
        <h2 className="h2">Try a sentence</h2>
        <span className="push" />
        <SegmentedControl
          aria-label="Channel"
          value={channel}
          onChange={setChannel}
          data={optionsOf({ chat: 'Chat', sms: 'SMS' })}
        />
      </div>
      <div className={classes.sentence}>
        <Textarea
          aria-label="Sentence"
          ref={input}
          placeholder="Write what a customer might write"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={10_000}
          value={sentence}
          onChange={event => onSentence(event.currentTarget.value)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section className={`scroll ${classes.tried}`} tabIndex={0} aria-label="Result">
        {sentence.trim() !== '' && <Result tried={tried} values={values} setValue={setValue} />}
        <Responses
          responses={open === undefined ? draft['text-responses'] : [open]}
          values={values}
          setValue={setValue}
        />
      </section>
    </section>
  )
}

type OfValues = { readonly values: Values; readonly setValue: (name: string, value: string) => void }

function Result({ tried, values, setValue }: OfValues & { readonly tried: Tried }) {
  const { remarks, pieces, answer, started } = tried
  return (
    <>
      <div role="status">
        <ul className={classes.remarks}>
          {remarks.map(({ isMatch, text }) => (
            <li key={text} className={isMatch ? '' : 't2'}>
              {isMatch ? <CircleCheck size={16} className="ok" /> : <CircleMinus size={16} className="t3" />}
              {text}
            </li>
          ))}
        </ul>
      </div>
      <p className={classes.said}>
        {pieces.map(({ text, isKeyword }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
          isKeyword ? <mark key={index}>{text}</mark> : <Fragment key={index}>{text}</Fragment>,
        )}
      </p>
      {answer !== null && <p className={classes.answer}>{answer}</p>}
      {started.slice(0, most).map(action => (
        <Form key={action.trigger} action={action} values={values} setValue={setValue} />
      ))}
      {started.length > most && <p className="sm t3">{formatCount(started.length - most, 'more form')}</p>}
    </>
  )
}

/** Draws the form of an action; what is written in it are sample values. */
function Form({ action, values, setValue }: OfValues & { readonly action: ConversationAction }) {
  const { trigger, form } = action
  return (
    <div className={classes.answer}>
      <div className="w5">{labelOf(keywordOf(trigger))}</div>
      {form.fields.map(name => (
        <TextInput
          key={name}
          size="sm"
          aria-label={`${labelOf(name)} (${name})`}
          placeholder={labelOf(name)}
          value={values[name] ?? ''}
          onChange={event => setValue(name, event.currentTarget.value)}
          rightSection={<code className="t3 cut">{name}</code>}
          rightSectionWidth={Math.min(140, 20 + name.length * 7)}
          rightSectionPointerEvents="none"
        />
      ))}
      {form.fields.length === 0 && <p className="sm t3">This form has no fields yet.</p>}
    </div>
  )
}

/** “order_id” as a person reads it: “Order id”. */
const labelOf = (name: string) => capitalized(name.replaceAll('_', ' ').trim())

function Responses(props: OfValues & { readonly responses: TextShapes['text-responses'] }) {
  const { responses, values, setValue } = props
  const [isOpen, setIsOpen] = useState(false)
  const shown = responses.slice(0, most)
  const names = [
    ...new Set(shown.flatMap(({ text }) => splitAtVariables(text).flatMap(({ name }) => name ?? []))),
  ]
  if (shown.length === 0) return null
  return (
    <>
      <div className={classes.responsesHead}>
        <h3 className="h3">{responses.length === 1 ? 'Response, filled' : 'Responses, filled'}</h3>
        <span className="push" />
        {names.length > 0 && (
          <Button variant="subtle" size="xs" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            Sample values
          </Button>
        )}
      </div>
      {isOpen &&
        names.map(name => (
          <TextInput
            key={name}
            size="sm"
            label={<code>{name}</code>}
            value={values[name] ?? ''}
            onChange={event => setValue(name, event.currentTarget.value)}
          />
        ))}
      <ul className={classes.filled}>
        {shown.map(({ key, text }) => (
          <li key={key}>
            <span className={classes.filledText}>
              {splitAtVariables(text).map((part, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
                <Fragment key={index}>{filled(part, values)}</Fragment>
              ))}
            </span>
            {fillVariables(text, values).unknown.length > 0 && (
              <span className="row warn sm nowrap">
                <TriangleAlert size={14} />
                no value
              </span>
            )}
          </li>
        ))}
      </ul>
      {responses.length > most && (
        <p className="sm t3">{formatCount(responses.length - most, 'more response')}</p>
      )}
    </>
  )
}

function filled({ text, name }: ReturnType<typeof splitAtVariables>[number], values: Values) {
  if (name === null) return text
  if (!Object.hasOwn(values, name)) return <Variable name={name} hasSingleBraces />
  return <span className="acc">{values[name]}</span>
}
