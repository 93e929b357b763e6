import { Radio } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Scheme, schemeNames, schemes } from '#shared/model/sender/templates.ts'
import { BackButton } from '../../../ui/master-detail.tsx'
import classes from './sender.module.css'

/** The schemes to choose from. @param props.back leads to the overview. */
export function SchemeList(props: {
  readonly scheme: Scheme
  readonly onChoose: (scheme: Scheme) => void
  readonly back: ReactNode
}) {
  const { scheme, onChoose, back } = props
  return (
    <section className={classes.pane} aria-labelledby="schemes">
      <div className={classes.bar}>
        {back}
        <BackButton />
        <h2 className="h3 nowrap" id="schemes">
          How this sender signs
        </h2>
      </div>
      <div className={classes.schemes}>
        <Radio.Group
          aria-labelledby="schemes"
          value={scheme}
          onChange={value => onChoose(schemeNames.find(name => name === value) ?? scheme)}
        >
          {schemeNames.map(name => {
            const { title, about } = schemes[name]
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
                description={
                  about.startsWith('x-') || about.includes('-signature') ? <code>{about}</code> : about
                }
              />
            )
          })}
        </Radio.Group>
        <p className="sm t2">
          Only this connection’s senders. Calls out stay signed as Custom Connection does.
        </p>
      </div>
    </section>
  )
}
