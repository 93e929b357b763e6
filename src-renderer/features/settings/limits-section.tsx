import { NumberInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import type { Settings } from '#shared/model/settings.ts'
import { api } from '../../client/client.ts'
import { fieldErrors, problemOf } from '../../client/problem.ts'
import { formatCount } from '../../ui/format.ts'
import { SaveBar } from '../../ui/save-bar.tsx'
import { toastDone, toastProblem } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useUnsavedGuard } from '../../ui/use-unsaved-guard.ts'
import { PageContent } from './page-content.tsx'
import { FormRow, Section } from './section.tsx'

const mib = 1024 * 1024
const kib = 1024

/** The bounds of what the service takes and gives. */
export function LimitsSection() {
  const { data } = useQuery(api.settings.get.queryOptions())
  return data === undefined ? null : <LimitsForm settings={data} />
}

function LimitsForm({ settings }: { readonly settings: Settings }) {
  const [bodyId, connectionsId, textId] = [useId(), useId(), useId()]
  const queries = useQueryClient()
  const { maxBodyBytes, maxConnections, assistantTextBytes } = settings
  const { draft, changed, isDirty, set, discard } = useDraft({
    maxBodyBytes,
    maxConnections,
    assistantTextBytes,
  })
  const update = useMutation(
    api.settings.update.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.settings.key() })
        discard()
        toastDone('Limits saved', 'They hold from the next request on.')
      },
      onError(error) {
        if (problemOf(error).issues.length === 0) toastProblem('The limits were not saved', error)
      },
    }),
  )
  useUnsavedGuard(isDirty, 'the limits')
  const problems = update.error === null ? {} : fieldErrors(problemOf(update.error))
  const change = (next: Partial<typeof draft>) => {
    set(next)
    update.reset()
  }
  return (
    <>
      <PageContent>
        <Section title="Limits" intro="What is larger or more than this is refused, and the sender is told.">
          <FormRow
            label="Largest body"
            field={bodyId}
            help="Anything larger is answered 413. 0.001 to 100 MiB."
          >
            <NumberInput
              id={bodyId}
              w={140}
              suffix=" MiB"
              decimalScale={3}
              step={1}
              value={draft.maxBodyBytes / mib}
              error={problems.maxBodyBytes}
              onChange={value =>
                typeof value === 'number' && change({ maxBodyBytes: Math.round(value * mib) })
              }
            />
          </FormRow>
          <FormRow
            label="Open connections"
            field={connectionsId}
            help="Held by the listener at once. When there are more, those that wait longest give way. 16 to 65,536."
          >
            <NumberInput
              id={connectionsId}
              w={140}
              allowDecimal={false}
              thousandSeparator
              value={draft.maxConnections}
              error={problems.maxConnections}
              onChange={value => typeof value === 'number' && change({ maxConnections: value })}
            />
          </FormRow>
          <FormRow
            label="Answers for the assistant"
            field={textId}
            help="A longer answer of an action is cut, with a note that says so. 1 to 1,024 KiB."
          >
            <NumberInput
              id={textId}
              w={140}
              suffix=" KiB"
              decimalScale={3}
              value={draft.assistantTextBytes / kib}
              error={problems.assistantTextBytes}
              onChange={value =>
                typeof value === 'number' && change({ assistantTextBytes: Math.round(value * kib) })
              }
            />
          </FormRow>
        </Section>
      </PageContent>
      {isDirty && (
        <SaveBar
          what={`Unsaved: ${formatCount(changed.length, 'limit')}`}
          saving={update.isPending}
          onSave={() => update.mutate(draft)}
          onDiscard={() => {
            discard()
            update.reset()
          }}
        />
      )}
    </>
  )
}
