import type { ReactNode } from 'react'
import { ChoicePane } from '../choice-pane.tsx'
import { kindNames, type SignInKind, signInKinds } from './sign-in-draft.ts'

/** The kinds of sign-in to choose from. @param props.back leads to the overview. */
export function KindList(props: {
  readonly kind: SignInKind
  readonly onChoose: (kind: SignInKind) => void
  readonly back: ReactNode
}) {
  return (
    <ChoicePane
      id="sign-in-kinds"
      title="How calls sign in"
      names={kindNames}
      choices={signInKinds}
      chosen={props.kind}
      isCode={about => about.startsWith('authorization')}
      note="Applies to every action of this connection. An action’s own header of the same name wins. Calls are still signed."
      back={props.back}
      onChoose={props.onChoose}
    />
  )
}
