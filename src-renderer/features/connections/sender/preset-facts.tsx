import { checkOf } from '#shared/model/sender/sender.ts'
import { schemes } from '#shared/model/sender/templates.ts'
import { CodedText } from '../../../ui/coded-text.tsx'
import { Fact } from '../../../ui/fact.tsx'
import { formatDuration } from '../../../ui/format.ts'
import classes from './sender.module.css'
import type { PlaceIn, SenderDraft } from './sender-draft.ts'
import { SignedTextWords } from './signed-text-words.tsx'

const placeWords: Readonly<Record<PlaceIn, string>> = {
  header: 'header',
  path: 'field',
  query: 'query parameter',
}

/** Returns how repeats are known without a time. */
function noTime({ verify, idHeader, bodyDigestClaim }: SenderDraft): string {
  if (verify === 'jwt' && bodyDigestClaim !== '') return 'in the token'
  const coversBody = verify !== 'token' && verify !== 'basic' && verify !== 'none' && verify !== 'jwt'
  if (coversBody)
    return 'none: an old copy of a request still verifies, and a repeat starts nothing for 24 hours'
  return idHeader === ''
    ? 'none, and no id: nothing is known as a repeat'
    : 'none: a repeat is known by its id and its body'
}

/** Shows the signed text, the time and the secret of a preset. */
export function PresetFacts({ draft }: { readonly draft: SenderDraft }) {
  const { scheme, signed, signatureHeader, signatureIn, prefix, timestampHeader, timestampIn } = draft
  const { secret, uncovered } = { ...schemes[scheme], ...checkOf(scheme, draft.verify) }
  return (
    <dl className={`facts sm ${classes.facts}`}>
      {signed !== '' && (
        <Fact name="It signs">
          <SignedTextWords text={signed} />
        </Fact>
      )}
      {signatureHeader !== '' && (
        <Fact name={draft.verify === 'token' ? 'Token in' : 'Signature in'}>
          {placeWords[signatureIn]} <code>{signatureHeader}</code>
          {prefix !== '' && (
            <>
              {' '}
              after <code>{prefix}</code>
            </>
          )}
        </Fact>
      )}
      {draft.jwtHeader !== '' && (
        <Fact name="Token in">
          header <code>{draft.jwtHeader}</code>, {draft.jwtAlgorithm}
        </Fact>
      )}
      <Fact name="Time">
        {timestampHeader === '' ? (
          noTime(draft)
        ) : (
          <>
            {placeWords[timestampIn]} <code>{timestampHeader}</code>, at most{' '}
            {formatDuration(Number(draft.window) * 60_000)} old
          </>
        )}
      </Fact>
      <Fact name="Where it is">
        <CodedText text={secret} />
      </Fact>
      {uncovered !== undefined && (
        <Fact name="Not covered">
          <CodedText text={uncovered} />
        </Fact>
      )}
    </dl>
  )
}
