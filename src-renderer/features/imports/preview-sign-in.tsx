import type { ImportAuth, OfferedAuth } from '#shared/model/import-auth.ts'
import type { ImportPreview } from '#shared/model/import-preview.ts'
import { SearchSelect } from '../../ui/search-select.tsx'

/** The asked scheme; null for none, undefined for the default. */
export type AskedAuth = ImportAuth | null | undefined

/** Chooses the security scheme of the document that the connection signs in with, if it has any. */
export function SignInChoice(props: {
  readonly preview: Pick<ImportPreview, 'auth' | 'connection'>
  readonly asked: AskedAuth
  readonly onAsk: (asked: AskedAuth) => void
}) {
  const { preview, asked, onAsk } = props
  const choices = signInChoices(preview)
  if (choices.length === 0) return null
  return (
    <SearchSelect
      aria-label="Sign-in"
      size="xs"
      maw={320}
      data={choices.map(({ label }, index) => ({ value: String(index), label }))}
      value={String(chosenOf(choices, preview, asked))}
      onChange={value => {
        const choice = choices[Number(value)]
        if (choice !== undefined) onAsk(choice.asks)
      }}
    />
  )
}

type Choice = { readonly label: string; readonly scheme: string | null; readonly asks: AskedAuth }

/** Returns the schemes, and what there is instead of one. A connection keeps a sign-in that it has. */
export function signInChoices({ auth, connection }: Pick<ImportPreview, 'auth' | 'connection'>): Choice[] {
  if (auth.length === 0) return []
  const isNew = connection?.connectionId === null
  const instead: Choice = isNew
    ? { label: 'None', scheme: null, asks: null }
    : { label: 'As the connection is', scheme: null, asks: undefined }
  const labels = auth.map(schemeLabel)
  const isShared = (label: string) => labels.filter(one => one === label).length > 1
  return [
    ...auth.map(({ scheme }, index): Choice => {
      const label = labels[index] ?? scheme
      return { label: isShared(label) ? `${label} (${scheme})` : label, scheme, asks: { scheme } }
    }),
    instead,
  ]
}

/** Returns the index of the choice that is in force. */
function chosenOf(
  choices: readonly Choice[],
  { auth }: Pick<ImportPreview, 'auth'>,
  asked: AskedAuth,
): number {
  // Before the preview of the choice has come.
  const scheme = asked === undefined ? auth.find(one => one.chosen)?.scheme : asked?.scheme
  const index = choices.findIndex(one => one.scheme === (scheme ?? null))
  return index === -1 ? choices.length - 1 : index
}

function schemeLabel({ type, in: place, name }: OfferedAuth): string {
  switch (type) {
    case 'apiKey':
      return `API key in ${place === 'query' ? `?${name}=` : name}`
    case 'basic':
      return 'User and password'
    case 'oauth2':
      return 'OAuth 2'
    case 'openIdConnect':
      return 'OpenID Connect'
    default:
      return 'Bearer token'
  }
}
