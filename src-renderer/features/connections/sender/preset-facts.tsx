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

/** What the scheme of a provider signs, when, and where its secret is. */
export function PresetFacts({ draft }: { readonly draft: SenderDraft }) {
  const { scheme, signed, signatureHeader, signatureIn, prefix, timestampHeader, timestampIn } = draft
  const { secret, uncovered } = schemes[scheme]
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
          'none, so an old copy of a request still verifies; repeats start nothing for 24 hours'
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
