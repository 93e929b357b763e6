import { Button, Menu, NumberInput, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { movableBetween } from '#shared/model/sender/signed-text.ts'
import { namedSchemes, schemes } from '#shared/model/sender/templates.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Problem } from '../../../ui/field-problem.tsx'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import { SecretField } from './secret-field.tsx'
import classes from './sender.module.css'
import { fieldsOf, type SenderDraft } from './sender-draft.ts'

const placeholders = ['body', 'timestamp', 'id', 'url']
const units = { s: 'Seconds', ms: 'Milliseconds', iso: 'ISO 8601' } as const
const algorithms = { sha256: 'SHA-256', sha1: 'SHA-1', sha512: 'SHA-512' } as const
const keys = { text: 'The whole secret', base64: 'Base64 after whsec_', hex: 'Hex' } as const
const separators = { one: 'One signature', ' ': 'Space', ',': 'Comma', ';': 'Semicolon' } as const

/** Chooses the key of an object that a control has given as a text. */
const chosen = <Key extends string>(
  labels: Readonly<Record<Key, string>>,
  value: string | null,
  other: Key,
): Key => {
  for (const key in labels) if (key === value) return key
  return other
}

/** The fields of a scheme; read-only for one of a provider, but for what becomes of the body. */
export function SenderForm(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
  /** Before the heading, and after it. */
  readonly before: ReactNode
  readonly after: ReactNode
}) {
  const { draft, problems, onEdit, before, after } = props
  const { title } = schemes[draft.scheme]
  const isFixed = draft.scheme !== 'template'
  const isDefault = draft.scheme === 'custom-connection'
  const text = (
    field: 'signatureHeader' | 'prefix' | 'timestampHeader' | 'timestampPrefix' | 'idHeader',
    label: ReactNode,
  ) => (
    <TextInput
      label={label}
      classNames={{ input: `${classes.machine} ${isFixed ? classes.fixed : ''}` }}
      spellCheck={false}
      readOnly={isFixed}
      value={draft[field]}
      placeholder={isFixed || field === 'timestampHeader' ? 'None' : ''}
      onChange={event => onEdit({ [field]: event.currentTarget.value })}
      error={problems[field]}
    />
  )
  return (
    <section className={classes.pane} aria-labelledby="scheme-fields">
      <div className={classes.bar}>
        {before}
        <h2 className="h3 nowrap" id="scheme-fields">
          {title}
        </h2>
        <span className="t2 sm cut">HMAC-{draft.algorithm.toUpperCase()} with the secret</span>
        <span className="push" />
        <StartFrom onStart={fields => onEdit({ scheme: 'template', ...fields })} />
        {after}
      </div>
      <div className={classes.fields}>
        {text('signatureHeader', 'Signature header')}
        <div className="pair">
          {text('prefix', isFixed ? 'Prefix' : optional('Prefix'))}
          <Choice
            label="Encoding"
            labels={{ hex: 'Hex', base64: 'Base64' }}
            value={draft.encoding}
            isFixed={isFixed}
            onChange={encoding => onEdit({ encoding })}
          />
        </div>
        <SignedText draft={draft} isFixed={isFixed} problem={problems.signed} onEdit={onEdit} />
        <div className={classes.times}>
          {text('timestampHeader', 'Timestamp header')}
          <div className={classes.unit}>
            <SearchSelect
              label="Unit and window"
              rightSectionWidth={24}
              data={optionsOf(units)}
              readOnly={isFixed}
              disabled={draft.timestampHeader === ''}
              classNames={{ input: isFixed ? (classes.fixed ?? '') : '' }}
              value={draft.timestampUnit}
              onChange={value => onEdit({ timestampUnit: chosen(units, value, 's') })}
            />
            <NumberInput
              aria-label="Window in minutes"
              classNames={{ input: isFixed ? (classes.fixed ?? '') : '' }}
              suffix=" min"
              min={0}
              hideControls
              clampBehavior="none"
              readOnly={isFixed}
              disabled={draft.timestampHeader === ''}
              value={draft.window}
              onChange={window => onEdit({ window })}
              error={problems.window}
            />
          </div>
        </div>
        {draft.timestampHeader === '' && (
          <p className="sm t2">
            Nothing says when a request was sent. Its signature is remembered for 24 hours instead, and a
            repeat starts nothing.
          </p>
        )}
        {isDefault ? (
          <p className="sm t2">
            The event name is in <code>event</code>, and the data in <code>data</code>.
          </p>
        ) : (
          <BodyFields draft={draft} problems={problems} onEdit={onEdit} />
        )}
        <SecretField draft={draft} problem={problems.secret} onEdit={onEdit} />
        {!isDefault && (
          <Disclosure
            label="Hash, key and several values"
            isForced={['separator', 'timestampPrefix', 'idHeader'].some(
              field => problems[field] !== undefined,
            )}
          >
            <div className={classes.more}>
              <Choice
                label="Hash function"
                labels={algorithms}
                value={draft.algorithm}
                isFixed={isFixed}
                onChange={algorithm => onEdit({ algorithm })}
              />
              <Choice
                label="Key"
                labels={keys}
                value={draft.key}
                isFixed={isFixed}
                onChange={key => onEdit({ key })}
              />
              <div className="pair">
                <SearchSelect
                  label="Between several signatures"
                  data={optionsOf(separators)}
                  readOnly={isFixed}
                  classNames={{ input: isFixed ? (classes.fixed ?? '') : '' }}
                  value={draft.separator === '' ? 'one' : draft.separator}
                  onChange={value => {
                    const separator = chosen(separators, value, 'one')
                    onEdit({ separator: separator === 'one' ? '' : separator })
                  }}
                  error={problems.separator}
                />
                {text('timestampPrefix', isFixed ? 'Timestamp prefix' : optional('Timestamp prefix'))}
              </div>
              {text('idHeader', isFixed ? 'Header with {{id}}' : optional('Header with {{id}}'))}
            </div>
          </Disclosure>
        )}
      </div>
    </section>
  )
}

const optional = (label: string) => (
  <>
    {label} <span className="xs t3 mono">optional</span>
  </>
)

/** Copies the fields of a scheme into one that can be described. */
function StartFrom(props: { readonly onStart: (fields: ReturnType<typeof fieldsOf>) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="subtle" rightSection={<ChevronDown size={12} />}>
          Start from
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {namedSchemes.map(name => (
          <Menu.Item key={name} onClick={() => props.onStart(fieldsOf(schemes[name].templates[0]))}>
            {schemes[name].title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function SignedText(props: {
  readonly draft: SenderDraft
  readonly isFixed: boolean
  readonly problem: string | undefined
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, isFixed, problem, onEdit } = props
  const id = useId()
  const noteId = useId()
  const movable = isFixed ? null : movableBetween(draft.signed)
  return (
    <div className={classes.field}>
      <span className={classes.label}>Signed text</span>
      {isFixed ? (
        <span className={classes.fixedText}>
          <SignedTextWords text={draft.signed} />
        </span>
      ) : (
        <TemplateField
          label="Signed text"
          value={draft.signed}
          onChange={signed => onEdit({ signed })}
          names={placeholders}
          isInvalid={problem !== undefined}
          describedBy={`${id} ${noteId}`}
        />
      )}
      <span id={id} className="sm t2">
        {problem === undefined ? (
          isFixed ? (
            'The exact bytes of the body.'
          ) : (
            <>
              <Placeholder name="body" /> is the exact bytes, <Placeholder name="url" /> and{' '}
              <Placeholder name="header:…" /> may stand here too.
            </>
          )
        ) : (
          <Problem message={problem} />
        )}
      </span>
      <div id={noteId} role="status">
        {movable !== null && problem === undefined && (
          <Note tone="warn">
            Nothing separates <SignedTextWords text={movable.join('')} />, so bytes can move from one to the
            other under the same signature. If the sender can, let it sign a separator between them.
          </Note>
        )}
      </div>
    </div>
  )
}

function Placeholder({ name }: { readonly name: string }) {
  return <code className="inline-code">{`{{${name}}}`}</code>
}

/** Shows a signed text with each placeholder marked. */
export function SignedTextWords({ text }: { readonly text: string }) {
  return text.split(/(\{\{[^{}]*\}\})/).map((piece, index) =>
    piece.startsWith('{{') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are never reordered
      <code key={index} className={classes.placeholder}>
        {piece}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text are never reordered
      <code key={index}>{piece}</code>
    ),
  )
}

function BodyFields(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problems, onEdit } = props
  const id = useId()
  return (
    <>
      <div className={classes.field}>
        <span className={classes.label} id={id}>
          Event name from
        </span>
        <div className={classes.from}>
          <SegmentedControl
            aria-labelledby={id}
            value={draft.nameIn}
            onChange={nameIn => onEdit({ nameIn })}
            data={optionsOf({ header: 'Header', path: 'Field' } as const)}
          />
          <TextInput
            aria-label={
              draft.nameIn === 'header' ? 'Header with the event name' : 'Field with the event name'
            }
            classNames={{ input: classes.machine ?? '' }}
            spellCheck={false}
            value={draft.eventName}
            onChange={event => onEdit({ eventName: event.currentTarget.value })}
            error={problems.eventName}
          />
        </div>
      </div>
      <TextInput
        label="Data from"
        classNames={{ input: classes.machine ?? '' }}
        spellCheck={false}
        placeholder="The whole body"
        value={draft.data}
        onChange={event => onEdit({ data: event.currentTarget.value })}
        error={problems.data}
        description={
          problems.data === undefined ? 'A field with an object, or empty for the whole body.' : undefined
        }
      />
      <Switch
        label="Accept requests without an event"
        description="If the signature is right, they are answered 200 and start nothing."
        checked={draft.acceptsEmpty}
        onChange={event => onEdit({ acceptsEmpty: event.currentTarget.checked })}
      />
    </>
  )
}

function Choice<Key extends string>(props: {
  readonly label: string
  readonly labels: Readonly<Record<Key, string>>
  readonly value: Key
  readonly isFixed: boolean
  readonly onChange: (value: Key) => void
}) {
  const { label, labels, value, isFixed, onChange } = props
  const id = useId()
  return (
    <div className={classes.field}>
      <span className={classes.label} id={id}>
        {label}
      </span>
      <SegmentedControl
        aria-labelledby={id}
        className={classes.choice}
        value={value}
        readOnly={isFixed}
        onChange={next => onChange(chosen(labels, next, value))}
        data={optionsOf(labels)}
      />
    </div>
  )
}
