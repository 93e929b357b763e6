import { Button } from '@mantine/core'
import { useState } from 'react'
import type { CallError } from '#shared/model/call.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { missingVariables } from './missing-variables.ts'
import { SetVariableDialog } from './set-variable-dialog.tsx'

/**
 * A button for each variable that a failed call lacked, which sets it.
 *
 * @param props.again what uses the variable then, as a sentence.
 */
export function SetMissingVariables(props: {
  readonly error: CallError
  readonly again: string
  readonly size?: 'xs' | 'sm'
}) {
  const [setting, setSetting] = useState<string | null>(null)
  return (
    <>
      {missingVariables(props.error).map(name => (
        <Button key={name} size={props.size} onClick={() => setSetting(name)}>
          Set {name}
        </Button>
      ))}
      {setting !== null && (
        <SetVariableDialog
          name={setting}
          onClose={() => setSetting(null)}
          onSet={name => toastDone(`Variable “${name}” is set`, props.again)}
        />
      )}
    </>
  )
}
