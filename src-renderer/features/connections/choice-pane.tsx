import { Radio } from '@mantine/core'
import type { ReactNode } from 'react'
import { BackButton } from '../../ui/master-detail.tsx'
import classes from './sender/sender.module.css'

/**
 * A pane with the kinds of something to choose from.
 *
 * @param props.isCode whether the line below a title is shown as code.
 * @param props.back leads to the overview.
 */
export function ChoicePane<Name extends string>(props: {
  readonly id: string
  readonly title: string
  readonly names: readonly Name[]
  readonly choices: Readonly<Record<Name, { readonly title: string; readonly about: string }>>
  readonly chosen: Name
  readonly isCode: (about: string) => boolean
  readonly note: string
  readonly back: ReactNode
  readonly onChoose: (name: Name) => void
}) {
  const { id, title, names, choices, chosen, isCode, note, back, onChoose } = props
  return (
    <section className={classes.pane} aria-labelledby={id}>
      <div className={classes.bar}>
        {back}
        <BackButton />
        <h2 className="h3 nowrap" id={id}>
          {title}
        </h2>
      </div>
      <div className={classes.schemes}>
        <Radio.Group
          aria-labelledby={id}
          value={chosen}
          onChange={value => onChoose(names.find(name => name === value) ?? chosen)}
        >
          {names.map(name => {
            const { title: label, about } = choices[name]
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
                label={label}
                description={isCode(about) ? <code>{about}</code> : about}
              />
            )
          })}
        </Radio.Group>
        <p className="sm t2">{note}</p>
      </div>
    </section>
  )
}
