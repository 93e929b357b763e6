import { NumberInput, SegmentedControl, TextInput } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { fieldsOfKind } from '#shared/model/sender/check-template.ts'
import { movableBetween } from '#shared/model/sender/signed-text.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { Problem } from '../../../ui/field-problem.tsx'
import { Note } from '../../../ui/note.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import { PlaceField } from './place-field.tsx'
import { JwtFields, proofs } from './proof-fields.tsx'
import classes from './sender.module.css'
import type { SenderDraft } from './sender-draft.ts'
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

/** How a request proves who sent it; read-only for a scheme whose fields are fixed. */
export function SchemeFields(props: {
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
