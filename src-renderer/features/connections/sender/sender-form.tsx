import { Button, Checkbox, Menu, NumberInput, SegmentedControl, TextInput } from '@mantine/core'
import { ChevronDown, SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { fieldsOfKind } from '#shared/model/sender/check-template.ts'
import { movableBetween } from '#shared/model/sender/signed-text.ts'
import { isPreset, namedSchemes, schemes } from '#shared/model/sender/templates.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Problem } from '../../../ui/field-problem.tsx'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import { Activation } from './activation.tsx'
import { BodyFields } from './body-fields.tsx'
import { PlaceField } from './place-field.tsx'
import { PresetFacts } from './preset-facts.tsx'
import { JwtFields, KeyFields, proofs, SettingFields } from './proof-fields.tsx'
import { SecretField } from './secret-field.tsx'
import classes from './sender.module.css'
import { fieldsOf, isOpen, type SenderDraft } from './sender-draft.ts'
import { SignedTextWords } from './signed-text-words.tsx'

const placeholders = ['body', 'timestamp', 'id', 'url', 'method', 'path', 'query', 'bodyHash', 'sortedForm']
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

/** The fields of a scheme. Those of a provider are facts, but for what becomes of the body. */
export function SenderForm(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
  /** Whether the scheme is the one that is saved. */
  readonly isSaved: boolean
  /** Before the heading, and after it. */
  readonly before: ReactNode
  readonly after: ReactNode
}) {
  const { draft, problems, onEdit, isSaved, before, after } = props
  const { scheme, verify } = draft
  const { title, settings = {} } = schemes[scheme]
  const isDefault = scheme === 'custom-connection'
  return (
    <section className={classes.pane} aria-labelledby="scheme-fields">
      <div className={classes.bar}>
        {before}
        <h2 className="h3 cut" id="scheme-fields">
          {title}
        </h2>
        <span className="t2 sm cut grow">{proofWords(draft)}</span>
        {isPreset(scheme) ? (
          <Button
            variant="subtle"
            leftSection={<SlidersHorizontal size={13} />}
            onClick={() => onEdit({ ...draft, scheme: 'template' })}
          >
            Change details
          </Button>
        ) : (
          <StartFrom onStart={fields => onEdit({ scheme: 'template', ...fields })} />
        )}
        {after}
      </div>
      <div className={classes.fields}>
        {isOpen(verify) && <OpenNote draft={draft} problem={problems.accepts} onEdit={onEdit} />}
        {isPreset(scheme) ? (
          <PresetFacts draft={draft} />
        ) : (
          <ProofFields draft={draft} problems={problems} onEdit={onEdit} />
        )}
        <SettingFields draft={draft} problems={problems} onEdit={onEdit} settings={settings} />
        <KeyFields draft={draft} problems={problems} onEdit={onEdit} />
        <SecretField draft={draft} problem={problems.secret} onEdit={onEdit} />
        {isDefault ? (
          <p className="sm t2">
            The event name is in <code>event</code>, and the data in <code>data</code>.
          </p>
        ) : (
          <BodyFields draft={draft} problems={problems} onEdit={onEdit} />
        )}
        {isSaved && <Activation />}
      </div>
    </section>
  )
}

/** Returns the kind of a proof in a few words. */
function proofWords({ verify, algorithm }: SenderDraft): string {
  return verify === 'hmac' ? `HMAC-${algorithm.toUpperCase()} with the secret` : proofs[verify]
}

/** Says that anyone who knows the URL can send, which the owner has to accept. */
function OpenNote(props: {
  readonly draft: SenderDraft
  readonly problem: string | undefined
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problem, onEdit } = props
  const isToken = draft.verify === 'token'
  return (
    <>
      <Note tone="bad">
        <strong>
          {isToken ? 'Anyone who knows the URL and the token' : 'Anyone who knows the URL'} can send events.
        </strong>{' '}
        Nothing signs them. Treat the URL as a secret, replace it if it leaks, and do not act on amounts that
        only the event states.
      </Note>
      <Checkbox
        label={
          isToken
            ? 'Accept events with a fixed token on this connection'
            : 'Accept unsigned events on this connection'
        }
        description="Marked in red on Overview."
        checked={draft.accepts}
        onChange={event => onEdit({ accepts: event.currentTarget.checked })}
        error={problem}
      />
    </>
  )
}

/** How a request proves who sent it; read-only for a scheme whose fields are fixed. */
function ProofFields(props: {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}) {
  const { draft, problems, onEdit } = props
  const isFixed = draft.scheme !== 'template'
  const { takes } = fieldsOfKind[draft.verify]
  const text = (field: 'prefix' | 'timestampPrefix', label: ReactNode) => (
    <TextInput
      label={label}
      classNames={{ input: `${classes.machine} ${isFixed ? classes.fixed : ''}` }}
      spellCheck={false}
      readOnly={isFixed}
      value={draft[field]}
      placeholder={isFixed ? 'None' : ''}
      onChange={event => onEdit({ [field]: event.currentTarget.value })}
      error={problems[field]}
    />
  )
  const place = (
    field: 'signature' | 'timestamp' | 'id',
    noun: string,
    { note, placeholder = '' }: { readonly note?: ReactNode; readonly placeholder?: string } = {},
  ) => (
    <PlaceField
      noun={noun}
      note={note}
      in={draft[`${field}In`]}
      text={draft[`${field}Header`]}
      placeholder={placeholder}
      isFixed={isFixed}
      error={problems[`${field}Header`]}
      onChange={({ in: inside, text: typed }) =>
        onEdit({
          ...(inside !== undefined && { [`${field}In`]: inside }),
          ...(typed !== undefined && { [`${field}Header`]: typed }),
        })
      }
    />
  )
  return (
    <>
      {!isFixed && (
        <SearchSelect
          label="Proof"
          data={optionsOf(proofs)}
          value={draft.verify}
          onChange={verify => {
            if (verify !== null) onEdit({ verify })
          }}
          error={problems.verify}
        />
      )}
      {draft.verify === 'jwt' && <JwtFields draft={draft} problems={problems} onEdit={onEdit} />}
      {takes.includes('signature') && place('signature', draft.verify === 'token' ? 'Token' : 'Signature')}
      {takes.includes('encoding') ? (
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
      ) : (
        takes.includes('prefix') && text('prefix', optional('Prefix'))
      )}
      {takes.includes('signed') && (
        <SignedText draft={draft} isFixed={isFixed} problem={problems.signed} onEdit={onEdit} />
      )}
      {takes.includes('timestamp') && (
        <>
          <div className={isFixed ? classes.times : classes.more}>
            {place('timestamp', 'Timestamp', { placeholder: 'None' })}
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
        </>
      )}
      {!takes.includes('signed') && place('id', 'Id', { note: isFixed ? null : optional('') })}
      {draft.scheme !== 'custom-connection' && takes.includes('signed') && (
        <Disclosure
          label="Hash, key and several values"
          isForced={['separator', 'timestampPrefix', 'idHeader'].some(field => problems[field] !== undefined)}
        >
          <div className={classes.more}>
            <Choice
              label="Hash function"
              labels={algorithms}
              value={draft.algorithm}
              isFixed={isFixed}
              onChange={algorithm => onEdit({ algorithm })}
            />
            {draft.verify === 'hmac' && (
              <Choice
                label="Key"
                labels={keys}
                value={draft.key}
                isFixed={isFixed}
                onChange={key => onEdit({ key })}
              />
            )}
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
            {place('id', 'Id', { note: isFixed ? null : optional('') })}
          </div>
        </Disclosure>
      )}
    </>
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
