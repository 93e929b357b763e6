import { SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { fieldsOfKind } from '#shared/model/sender/check-template.ts'
import { secretOfProof } from '#shared/model/sender/sender-secret.ts'
import { JwtAlgorithm, type Proof } from '#shared/model/sender/sender-template.ts'
import { optionsOf } from '../../../ui/options-of.ts'
import { SearchSelect } from '../../../ui/search-select.tsx'
import classes from './sender.module.css'
import type { SenderDraft } from './sender-draft.ts'

/** The kinds of proof, in words. */
export const proofs = {
  hmac: 'HMAC with a secret',
  ed25519: 'Ed25519 with a public key',
  ecdsa: 'ECDSA P-256 with a public key',
  rsa: 'RSA with a public key',
  'rsa-pss': 'RSA-PSS with a public key',
  jwt: 'A JWT',
  basic: 'User name and password',
  token: 'A fixed token',
  none: 'Nothing',
} as const satisfies Record<Proof, string>

type Fields = {
  readonly draft: SenderDraft
  readonly problems: Readonly<Partial<Record<string, string>>>
  readonly onEdit: (edit: Partial<SenderDraft>) => void
}

/** The public key of a sender, or the address of its keys. */
export function KeyFields({ draft, problems, onEdit }: Fields) {
  const { verify, keyFrom, publicKey, keysUrl, kept } = draft
  if (!fieldsOfKind[verify].takes.includes('publicKey')) return null
  if (secretOfProof(verify, draft.jwtAlgorithm) !== null) return null
  if (kept.certificate !== undefined)
    return (
      <p className="sm t2">
        Each request names the certificate of its key. It is fetched only from{' '}
        <code>{kept.certificateHosts?.join(', ')}</code>.
      </p>
    )
  return (
    <div className={classes.field}>
      <div className={classes.between}>
        <span className={classes.label} id="public-key">
          Public key
        </span>
        <SegmentedControl
          size="xs"
          aria-label="Where the public key comes from"
          value={keyFrom}
          onChange={from => onEdit({ keyFrom: from })}
          data={optionsOf({ text: 'Paste', address: 'From an address' } as const)}
        />
      </div>
      {keyFrom === 'text' ? (
        <Textarea
          aria-labelledby="public-key"
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          classNames={{ input: classes.machine ?? '' }}
          value={publicKey}
          onChange={event => onEdit({ publicKey: event.currentTarget.value })}
          error={problems.publicKey}
          description="PEM, JWK, hex or Base64. A public key is not secret: it is shown, exported and backed up."
          inputWrapperOrder={['input', 'error', 'description']}
        />
      ) : (
        <TextInput
          aria-label="Address of the keys"
          spellCheck={false}
          placeholder="https://…/.well-known/jwks.json"
          classNames={{ input: classes.machine ?? '' }}
          value={keysUrl}
          onChange={event => onEdit({ keysUrl: event.currentTarget.value })}
          error={problems.keysUrl}
          description="A list of public keys (JWKS), fetched at most once a minute."
          inputWrapperOrder={['input', 'error', 'description']}
        />
      )}
    </div>
  )
}

const jwtAlgorithms = optionsOf(
  Object.fromEntries(JwtAlgorithm.options.map(name => [name, name])) as Readonly<
    Record<JwtAlgorithm, string>
  >,
)

/** The token of a sender that sends a JWT. */
export function JwtFields({ draft, problems, onEdit }: Fields) {
  const text = (field: 'jwtHeader' | 'issuer' | 'audience' | 'bodyDigestClaim', label: string) => (
    <TextInput
      label={label}
      spellCheck={false}
      classNames={{ input: classes.machine ?? '' }}
      value={draft[field]}
      placeholder={field === 'jwtHeader' ? 'authorization' : 'Not checked'}
      onChange={event => onEdit({ [field]: event.currentTarget.value })}
      error={problems[field]}
    />
  )
  const isHeader = draft.jwtIn === 'header'
  return (
    <>
      <div className="pair">
        <div className={classes.field}>
          <span className={classes.label} id="jwt-in">
            Token in
          </span>
          <SegmentedControl
            aria-labelledby="jwt-in"
            value={draft.jwtIn}
            onChange={jwtIn => onEdit({ jwtIn })}
            data={optionsOf({ header: 'Header', body: 'Body' } as const)}
          />
        </div>
        <SearchSelect
          label="Algorithm"
          data={jwtAlgorithms}
          value={draft.jwtAlgorithm}
          onChange={value => {
            if (value !== null) onEdit({ jwtAlgorithm: value })
          }}
        />
      </div>
      {isHeader && text('jwtHeader', 'Token header')}
      <div className="pair">
        {text('issuer', 'Issuer')}
        {text('audience', 'Audience')}
      </div>
      {isHeader && text('bodyDigestClaim', 'Claim with the SHA-256 of the body')}
    </>
  )
}

/** The values that the signed text of a preset contains. */
export function SettingFields(props: Fields & { readonly settings: Readonly<Record<string, string>> }) {
  const { draft, problems, onEdit, settings } = props
  return Object.entries(settings).map(([name, about]) => (
    <TextInput
      key={name}
      label={name}
      spellCheck={false}
      classNames={{ input: classes.machine ?? '' }}
      value={draft.settings[name] ?? ''}
      onChange={event => onEdit({ settings: { ...draft.settings, [name]: event.currentTarget.value } })}
      error={problems.settings}
      description={about}
    />
  ))
}
