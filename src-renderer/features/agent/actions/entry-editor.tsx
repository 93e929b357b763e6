import { Button, Textarea, TextInput } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { ConversationAction } from '#shared/model/platform/conversation-action.ts'
import { smsParts } from '#shared/platform/sms-parts.ts'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { jsonLines } from '../../../ui/json-lines.ts'
import { BackButton } from '../../../ui/master-detail.tsx'
import { deleteEntry, MoreMenu } from '../../../ui/more-menu.tsx'
import pane from '../../../ui/pane.module.css'
import { ResponseField } from '../../../ui/response-field.tsx'
import classes from './actions-page.module.css'
import { type SmsWord, smsWords, submittedBody, type TextResponse } from './entries.ts'
import { FieldTags } from './field-tags.tsx'
import { keywordOf } from './try-sentence.ts'

/** The pane around an editor: its heading, a menu that deletes, and its fields. */
function EditorPane(props: {
  readonly title: string
  /** Whether the title is set in the monospaced font. */
  readonly isCode?: boolean
  readonly onDelete?: () => void
  readonly children: ReactNode
}) {
  const { title, isCode = false, onDelete, children } = props
  return (
    <section className={classes.pane} aria-label={title}>
      <div className={pane.bar}>
        <BackButton />
        <h2 className="h2 cut">{isCode ? <span className="mono">{title}</span> : title}</h2>
        <span className="push" />
        {onDelete !== undefined && <MoreMenu name={title} width={160} entries={[deleteEntry(onDelete)]} />}
      </div>
      <div className="scroll" data-scroll-room>
        <div className={classes.form}>{children}</div>
      </div>
    </section>
  )
}

type EditorProps<T> = {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly onDelete: () => void
  /** Returns what is wrong with a field, by its path in the entry. */
  readonly problem: (path: string) => string | undefined
}

/** Edits a conversation action. */
export function ActionEditor(
  props: EditorProps<ConversationAction> & { readonly values: Readonly<Record<string, string>> },
) {
  const { value, onChange, problem, values } = props
  const { trigger, action, form } = value
  const keyword = keywordOf(trigger)
  const setForm = (next: Partial<ConversationAction['form']>) =>
    onChange({ ...value, form: { ...form, ...next } })
  const wrongFields = form.fields.flatMap((_, index) => problem(`form.fields.${index}`) ?? [])
  const unsafe = isUnencrypted(form.submitUrl)
  return (
    <EditorPane title={trigger} isCode onDelete={props.onDelete}>
      <TextInput
        label="Trigger"
        classNames={{ input: 'mono', section: `mono t3 ${classes.prefix}` }}
        leftSection="keyword:"
        leftSectionWidth={69}
        leftSectionPointerEvents="none"
        value={trigger.slice('keyword:'.length)}
        onChange={event => onChange({ ...value, trigger: `keyword:${event.currentTarget.value}` })}
        autoFocus={keyword === ''}
        error={problem('trigger')}
        description={
          problem('trigger') === undefined ? (
            <>
              Matches whole words in any case. <code className="inline-code">{keyword}s</code> does not count.
            </>
          ) : undefined
        }
      />
      <TextInput
        label="Action"
        classNames={{ input: 'mono' }}
        placeholder="open_refund"
        value={action}
        onChange={event => onChange({ ...value, action: event.currentTarget.value })}
        error={problem('action')}
      />
      <FieldTags
        label="Form fields"
        hint="asked in this order"
        names={form.fields}
        onChange={fields => setForm({ fields })}
        error={problem('form.fields') ?? wrongFields[0]}
        invalid={new Set(form.fields.flatMap((_, index) => (problem(`form.fields.${index}`) ? [index] : [])))}
      />
      <div>
        <TextInput
          label="Submit URL"
          classNames={{ input: 'mono' }}
          placeholder="https://"
          value={form.submitUrl}
          onChange={event => setForm({ submitUrl: event.currentTarget.value })}
          error={problem('form.submitUrl')}
          spellCheck={false}
          rightSectionWidth={unsafe ? 84 : undefined}
          rightSection={
            unsafe && (
              <Button
                variant="subtle"
                size="xs"
                onClick={() => setForm({ submitUrl: form.submitUrl.replace(/^http:/i, 'https:') })}
              >
                Use https
              </Button>
            )
          }
        />
        {unsafe && problem('form.submitUrl') === undefined && (
          <p className={`sm warn ${classes.warning}`}>
            <TriangleAlert size={14} />
            What people write would travel unencrypted.
          </p>
        )}
      </div>
      <div>
        <div className={classes.label}>What is submitted</div>
        <CodeBlock label="What is submitted" lines={jsonLines(submittedBody(value, values))} wrap />
        <p className={`sm t3 ${classes.warning}`}>Posted as JSON when the form is sent.</p>
      </div>
    </EditorPane>
  )
}

/** Returns whether a URL sends what people write over a network without TLS. */
function isUnencrypted(url: string): boolean {
  if (!/^http:/i.test(url) || !URL.canParse(url)) return false
  return !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
}

/** Edits a text response. */
export function ResponseEditor(props: EditorProps<TextResponse> & { readonly names: readonly string[] }) {
  const { value, onChange, problem, names } = props
  const id = useId()
  const textProblem = problem('text')
  return (
    <EditorPane title={value.key || 'New response'} onDelete={props.onDelete}>
      <TextInput
        label="Key"
        placeholder="order_late"
        value={value.key}
        autoFocus={value.key === ''}
        onChange={event => onChange({ ...value, key: event.currentTarget.value })}
        error={problem('key')}
      />
      <div>
        <div className={classes.label}>Text</div>
        <ResponseField
          label="Text"
          value={value.text}
          names={names}
          isInvalid={textProblem !== undefined}
          describedBy={`${id}-help`}
          onChange={text => onChange({ ...value, text })}
        />
        <p id={`${id}-help`} className={`sm ${textProblem === undefined ? 't3' : 'bad'} ${classes.warning}`}>
          {textProblem ?? 'Type { for a variable. One without a value stays as it is.'}
        </p>
      </div>
    </EditorPane>
  )
}

/** Edits the answer to an SMS keyword. */
export function SmsEditor(props: {
  readonly word: SmsWord
  readonly text: string
  readonly onChange: (text: string) => void
  readonly problem: string | undefined
}) {
  const { word, text, onChange, problem } = props
  const { encoding, parts } = smsParts(text)
  return (
    <EditorPane title={word.toUpperCase()}>
      <Textarea
        label={`Answer to ${word.toUpperCase()}, ${smsWords[word]}`}
        autosize
        minRows={4}
        maxRows={12}
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
        error={problem}
        description={
          problem === undefined
            ? `${formatCount([...text].length, 'character')} in ${formatCount(parts, 'text message')}, ${
                encoding === 'GSM-7'
                  ? 'all in the GSM alphabet'
                  : 'because of characters outside the GSM alphabet'
              }. At most ${formatNumber(1530)}.`
            : undefined
        }
      />
    </EditorPane>
  )
}
