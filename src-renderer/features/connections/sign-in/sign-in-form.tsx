import { SegmentedControl, TextInput } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { VariableSelect } from '../../../entities/environment/variable-select.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import classes from '../sender/sender.module.css'
import { RateLimitFields } from './rate-limit-fields.tsx'
import { type SignInDraft, type SignInKind, signInKinds } from './sign-in-draft.ts'

const subtitles: Readonly<Record<SignInKind, string>> = {
  none: 'only the signature',
  bearer: 'a token that does not change',
  basic: 'Basic authentication',
  key: 'one header or query parameter',
  oauth2: 'client credentials',
}

/** Names a variable field of the form, for which a new variable can be made. */
export type VariableField = 'tokenVariable' | 'passwordVariable' | 'secretVariable'

type Props = {
  readonly draft: SignInDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SignInDraft>) => void
  /** Asks for the name and value of a new variable. */
  readonly onNew: (field: VariableField) => void
}

/** The fields of a kind of sign-in. */
export function SignInForm(
  props: Props & {
    /** Before the heading, and after it. */
    readonly before: ReactNode
    readonly after: ReactNode
  },
) {
  const { draft, problems, onEdit, before, after } = props
  return (
    <section className={classes.pane} aria-labelledby="sign-in-fields">
      <div className={classes.bar}>
        {before}
        <h2 className="h3 nowrap" id="sign-in-fields">
          {signInKinds[draft.kind].title}
        </h2>
        <span className="t2 sm cut">{subtitles[draft.kind]}</span>
        <span className="push" />
        {after}
      </div>
      <div className={classes.fields}>
        <KindFields {...props} />
        {draft.kind !== 'none' && (
          <p className="sm t2">Secrets are variables, chosen by name. Their values are never shown.</p>
        )}
        <RateLimitFields draft={draft} problems={problems} onEdit={onEdit} />
      </div>
    </section>
  )
}

function KindFields(props: Props) {
  const { draft, problems, onEdit } = props
  const text = (
    field: 'user' | 'keyName' | 'keyValue' | 'tokenUrl' | 'clientId' | 'scope' | 'audience',
    label: ReactNode,
    more: { readonly description?: ReactNode; readonly placeholder?: string } = {},
  ) => (
    <TextInput
      label={label}
      classNames={{ input: classes.machine ?? '' }}
      spellCheck={false}
      autoComplete="off"
      value={draft[field]}
      onChange={event => onEdit({ [field]: event.currentTarget.value })}
      error={problems[field]}
      placeholder={more.placeholder}
      description={problems[field] === undefined ? more.description : undefined}
    />
  )
  const variable = (field: VariableField, label: string) => (
    <VariableSelect
      label={label}
      size="md"
      placeholder="Choose a variable"
      value={draft[field]}
      error={problems[field]}
      onChange={name => onEdit({ [field]: name })}
      onNew={() => props.onNew(field)}
    />
  )
  switch (draft.kind) {
    case 'none':
      return (
        <p className="sm t2">
          Calls carry the signature of the connection and the headers of each action, nothing else.
        </p>
      )
    case 'bearer':
      return variable('tokenVariable', 'Token')
    case 'basic':
      return (
        <div className="pair">
          {text('user', 'User name')}
          {variable('passwordVariable', 'Password')}
        </div>
      )
    case 'key':
      return (
        <>
          <Choice
            label="Send it in"
            labels={{ header: 'A header', query: 'The query' }}
            value={draft.keyIn}
            onChange={keyIn => onEdit({ keyIn })}
          />
          <div className="pair">
            {text('keyName', 'Name')}
            {text('keyValue', 'Value', {
              placeholder: '{{ACME_KEY}}',
              description: 'A text with a variable, such as {{ACME_KEY}}.',
            })}
          </div>
        </>
      )
    case 'oauth2':
      return (
        <>
          {text('tokenUrl', 'Token URL', {
            placeholder: 'https://auth.example.com/oauth2/token',
            description: 'Called by this service, under the same address rules as every call.',
          })}
          <div className="pair">
            {text('clientId', 'Client ID')}
            {variable('secretVariable', 'Client secret')}
          </div>
          <div className="pair">
            {text('scope', optional('Scope'))}
            {text('audience', optional('Audience'), { placeholder: 'Only if the provider asks for it' })}
          </div>
          <Choice
            label="Send ID and secret"
            labels={{ basic: 'As a Basic header', body: 'In the body' }}
            value={draft.clientAuth}
            onChange={clientAuth => onEdit({ clientAuth })}
          />
        </>
      )
  }
}

const optional = (label: string) => (
  <>
    {label} <span className="xs t3 mono">optional</span>
  </>
)

function Choice<Key extends string>(props: {
  readonly label: string
  readonly labels: Readonly<Record<Key, string>>
  readonly value: Key
  readonly onChange: (value: Key) => void
}) {
  const { label, labels, value, onChange } = props
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
        onChange={onChange}
        data={optionsOf(labels)}
      />
    </div>
  )
}
