import type { ReactNode } from 'react'
import { isOpen } from '#shared/model/sender/sender.ts'
import { type Scheme, schemeNames, schemes } from '#shared/model/sender/templates.ts'
import { ChoicePane } from '../choice-pane.tsx'
import { proofs } from './proof-fields.tsx'

/**
 * The schemes to choose from.
 *
 * @param props.recognized the scheme that the tried request seems to be signed in.
 * @param props.back leads to the overview.
 */
export function SchemeList(props: {
  readonly scheme: Scheme
  readonly recognized: Scheme | null
  readonly onChoose: (scheme: Scheme) => void
  readonly back: ReactNode
}) {
  const { scheme, recognized, onChoose, back } = props
  return (
    <ChoicePane
      id="schemes"
      title="How this sender signs"
      names={schemeNames}
      choices={schemes}
      chosen={scheme}
      isCode={about => about.startsWith('x-') || about.includes('-signature')}
      isBad={name => isOpen(schemes[name].templates[0].verify)}
      note="Only this connection’s senders. Calls out stay signed as Custom Connection does."
      back={back}
      onChoose={onChoose}
      many={{
        placeholder: 'Twilio, Basic, list of events',
        wordsOf,
        suggested: recognized === null ? null : { name: recognized, from: 'Found in the request' },
        none: 'No preset. Other describes any scheme.',
      }}
    />
  )
}

/** Returns what a scheme can be found by besides its name: its headers and its kind. */
function wordsOf(name: Scheme): string {
  return schemes[name].templates
    .flatMap(({ verify, signatureHeader, timestampHeader = '', signed, data }) => [
      ...[proofs[verify], signatureHeader, timestampHeader, signed],
      ...(data !== 'body' && 'items' in data ? ['list of events'] : []),
    ])
    .join(' ')
}
