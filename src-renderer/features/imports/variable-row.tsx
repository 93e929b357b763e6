import { Button, PasswordInput } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ImportDetails } from '#shared/model/import-preview.ts'
import { formatCount } from '../../ui/format.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useSetVariable } from '../environment/use-set-variable.ts'
import classes from './preview-step.module.css'

type Variable = ImportDetails['environmentVariables'][number]

/** A variable, the headers that name it, and whether it is set; one that is not can be set here. */
export function VariableRow(props: {
  readonly variable: Variable
  /** What to set it to; null where nothing is known of that. */
  readonly hint: string | null
}) {
  const { variable, hint } = props
  const { name, headers, actions, sources } = variable
  const [isSetting, setIsSetting] = useState(false)
  const isSet = sources.length > 0
  return (
    <li className={classes.variable}>
      <div className="row">
        <div className="col grow">
          <code className="cut">{name}</code>
          <span className="sm t3 cut">
            <code className={classes.headers}>{headers.join(', ')}</code> in {formatCount(actions, 'action')}
          </span>
        </div>
        {isSet ? (
          <span className={`sm ok nowrap row ${classes.state}`}>
            <CircleCheck size={14} aria-hidden="true" />
            {sources.includes('settings') ? 'Set in Settings' : 'Set by the process'}
          </span>
        ) : (
          <span className={`sm warn nowrap row ${classes.state}`}>
            <TriangleAlert size={14} aria-hidden="true" />
            Not set
          </span>
        )}
        {!isSet && !isSetting && (
          <Button
            size="xs"
            flex="none"
            aria-label={`Set value of ${name}`}
            onClick={() => setIsSetting(true)}
          >
            Set value
          </Button>
        )}
      </div>
      {!isSet && hint !== null && <p className="sm t2">{hint}</p>}
      {!isSet && isSetting && <ValueForm name={name} onClose={() => setIsSetting(false)} />}
    </li>
  )
}

function ValueForm({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [value, setValue] = useState('')
  const { set, problems } = useSetVariable(name => {
    toastDone(`Variable “${name}” is set`, 'Its value is encrypted and not shown again.')
    onClose()
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    set.mutate({ name, value })
  }
  return (
    <form
      className={classes.valueForm}
      onSubmit={submit}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        // It closes this field, and not the dialog as well.
        event.preventDefault()
        onClose()
      }}
    >
      <PasswordInput
        size="sm"
        className="grow"
        aria-label={`Value of ${name}`}
        placeholder="Encrypted, and never shown again"
        autoComplete="off"
        // It was asked for by the button that stood here.
        autoFocus
        value={value}
        error={problems.value}
        onChange={event => {
          setValue(event.currentTarget.value)
          set.reset()
        }}
      />
      <Button type="submit" disabled={value === ''} loading={set.isPending}>
        Set
      </Button>
      <Button variant="subtle" onClick={onClose}>
        Cancel
      </Button>
    </form>
  )
}
