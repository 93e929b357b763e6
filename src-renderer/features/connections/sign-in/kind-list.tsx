import { Radio } from '@mantine/core'
import type { ReactNode } from 'react'
import { BackButton } from '../../../ui/master-detail.tsx'
import classes from '../sender/sender.module.css'
import { kindNames, type SignInKind, signInKinds } from './sign-in-draft.ts'

/** The kinds of sign-in to choose from. @param props.back leads to the overview. */
export function KindList(props: {
  readonly kind: SignInKind
  readonly onChoose: (kind: SignInKind) => void
  readonly back: ReactNode
}) {
  const { kind, onChoose, back } = props
  return (
    <section className={classes.pane} aria-labelledby="sign-in-kinds">
      <div className={classes.bar}>
        {back}
        <BackButton />
        <h2 className="h3 nowrap" id="sign-in-kinds">
          How calls sign in
        </h2>
      </div>
      <div className={classes.schemes}>
        <Radio.Group
          aria-labelledby="sign-in-kinds"
          value={kind}
          onChange={value => onChoose(kindNames.find(name => name === value) ?? kind)}
        >
          {kindNames.map(name => {
            const { title, about } = signInKinds[name]
            return (
              <Radio
                key={name}
                value={name}
                size="xs"
                classNames={{
                  root: classes.scheme ?? '',
                  body: classes.schemeBody ?? '',
                  label: classes.schemeTitle ?? '',
                }}
                label={title}
                description={about.startsWith('authorization') ? <code>{about}</code> : about}
              />
            )
          })}
        </Radio.Group>
        <p className="sm t2">
          Applies to every action of this connection. An action’s own header of the same name wins. Calls are
          still signed.
        </p>
      </div>
    </section>
  )
}
