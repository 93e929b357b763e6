import { Checkbox } from '@mantine/core'
import { takesQuery } from '#shared/model/action-url.ts'
import { placeOf } from '#shared/request/write-request.ts'
import type { DraftForm } from '../use-action-draft.ts'

/** Whether calls have a body. It is asked only where they could do without one: no parameter is sent in it. */
export function BodySwitch({ form }: { readonly form: DraftForm }) {
  const { method, parameters, sendsBody } = form.draft
  const isInBody = parameters.some(one => ['body', 'entireBody'].includes(placeOf(one, { method })))
  if (takesQuery(method) || (isInBody && sendsBody !== false)) return null
  return (
    <Checkbox
      size="xs"
      label={
        <>
          Send no body <span className="t3">instead of {'{}'}, and parameters in the query</span>
        </>
      }
      checked={sendsBody === false}
      onChange={event =>
        form.set({ sendsBody: event.currentTarget.checked ? false : undefined }, 'sendsBody')
      }
    />
  )
}
