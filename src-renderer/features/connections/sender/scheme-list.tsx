import type { ReactNode } from 'react'
import { type Scheme, schemeNames, schemes } from '#shared/model/sender/templates.ts'
import { ChoicePane } from '../choice-pane.tsx'

/** The schemes to choose from. @param props.back leads to the overview. */
export function SchemeList(props: {
  readonly scheme: Scheme
  readonly onChoose: (scheme: Scheme) => void
  readonly back: ReactNode
}) {
  return (
    <ChoicePane
      id="schemes"
      title="How this sender signs"
      names={schemeNames}
      choices={schemes}
      chosen={props.scheme}
      isCode={about => about.startsWith('x-') || about.includes('-signature')}
      note="Only this connection’s senders. Calls out stay signed as Custom Connection does."
      back={props.back}
      onChoose={props.onChoose}
    />
  )
}
