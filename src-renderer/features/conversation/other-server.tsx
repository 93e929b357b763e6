import { Autocomplete, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Globe, Info, TriangleAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { type AssistantModel, defaultContextTokens } from '#shared/model/assistant-model.ts'
import { api } from '../../client/client.ts'
import { SetVariableDialog } from '../../entities/environment/set-variable-dialog.tsx'
import { VariableSelect } from '../../entities/environment/variable-select.tsx'
import { useStoredFields } from '../../ui/draft/use-stored-fields.tsx'
import { formatCount } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { fieldErrors, type Problem, problemOf } from '../../ui/problem.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { isLocal, whereLabel } from './server-labels.ts'
import classes from './setup.module.css'
import { SetupCard } from './setup-card.tsx'
import { useAssistantModel, useChooseModel } from './use-models.ts'

type ModelFields = {
  readonly baseUrl: string
  readonly model: string
  readonly keyVariable: string | null
}
const modelFields = { baseUrl: 'base URL', model: 'model', keyVariable: 'API key' }

/** Any OpenAI-compatible server: tried first, then used. */
export function OtherServer(props: {
  readonly isChosen: boolean
  readonly onPick: () => void
  readonly onDone: () => void
}) {
  const { isChosen, onPick, onDone } = props
  const { data: current } = useAssistantModel()
  const before = current?.provider === 'openai_compatible' ? current : null
  const { values, note, ...fields } = useStoredFields<ModelFields>('other-server', modelFields, {
    baseUrl: before?.baseUrl ?? '',
    model: before?.model ?? '',
    keyVariable: before?.keyVariable ?? null,
  })
  const { baseUrl, model, keyVariable } = values
  const [isSetting, setIsSetting] = useState(false)
  const modelField = useRef<HTMLInputElement>(null)
  const choose = useChooseModel(onDone)
  const test = useMutation(
    api.conversations.testModel.mutationOptions({
      onSuccess(result, input) {
        const [found] = result.models
        if (result.state !== 'found' || found === undefined) return
        if (input.model === undefined) return modelField.current?.focus()
        if (found.callsTools === false) return
        const assistantModel: AssistantModel = {
          provider: 'openai_compatible',
          baseUrl: result.baseUrl,
          model: input.model,
          keyVariable: input.keyVariable ?? null,
          contextTokens: found.contextTokens ?? defaultContextTokens,
        }
        choose.mutate({ assistantModel })
      },
    }),
  )
  const isBusy = test.isPending || choose.isPending
  function use(): void {
    if (isBusy) return
    const name = model.trim()
    test.mutate({ baseUrl, keyVariable, ...(name === '' ? {} : { model: name }) })
  }
  useShortcut({ keys: 'mod+enter', label: 'Test and use', group: 'Choice of a model' }, use, isChosen)
  const errors = fieldErrors(test.error)
  const url = baseUrl.trim()
  const change = (next: Partial<ModelFields>) => {
    fields.change(next)
    test.reset()
  }
  return (
    <SetupCard
      icon={<Globe size={16} />}
      name="OpenAI-compatible server"
      isChosen={isChosen}
      about="OpenAI, vLLM, llama.cpp, a gateway of your own."
      action={
        <WriteButton
          variant={isChosen ? 'filled' : undefined}
          size="md"
          keys={isChosen && 'mod+enter'}
          loading={isBusy}
          onClick={use}
        >
          Test and use
        </WriteButton>
      }
      onPick={onPick}
    >
      {note}
      <form
        className={classes.three}
        onSubmit={event => {
          event.preventDefault()
          use()
        }}
      >
        <TextInput
          size="sm"
          label="Base URL"
          classNames={{ input: 'mono' }}
          placeholder="https://api.openai.com/v1"
          type="url"
          value={baseUrl}
          onChange={event => change({ baseUrl: event.currentTarget.value })}
          error={errors.baseUrl}
        />
        <Autocomplete
          ref={modelField}
          size="sm"
          label="Model"
          classNames={{ input: 'mono' }}
          placeholder="name"
          data={[...new Set(test.data?.models.map(one => one.model))]}
          value={model}
          onChange={next => fields.change({ model: next })}
          // Shortcuts rest while its list is open.
          onKeyDown={event => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            use()
          }}
          error={errors.model}
        />
        <VariableSelect
          label="Key from"
          placeholder="No key"
          value={keyVariable}
          error={errors.keyVariable}
          onNew={() => setIsSetting(true)}
          onChange={value => change({ keyVariable: value })}
        />
        <button type="submit" hidden />
      </form>
      <Outcome test={test} errors={errors} />
      <p className={`${classes.remark} ${isLocal(url) ? '' : 'warn'}`}>
        {isLocal(url) ? <Info size={14} /> : <TriangleAlert size={14} />}
        {URL.canParse(url) ? whereLabel(url) : 'Messages and the results of calls are sent to that server.'}
      </p>
      {isSetting && (
        <SetVariableDialog
          name={null}
          onClose={() => setIsSetting(false)}
          onSet={name => change({ keyVariable: name })}
        />
      )}
    </SetupCard>
  )
}

type Test = {
  readonly error: Error | null
  readonly data:
    | {
        readonly state: string
        readonly models: readonly unknown[]
        readonly problem: Pick<Problem, 'code' | 'message'> | null
      }
    | undefined
  readonly variables: { readonly model?: string | undefined } | undefined
}

/** Says why the server cannot be used, or which models it has. */
function Outcome({
  test,
  errors,
}: {
  readonly test: Test
  readonly errors: Readonly<Record<string, string>>
}) {
  const { error, data, variables } = test
  const problem =
    error === null ? (data?.problem ?? null) : Object.keys(errors).length > 0 ? null : problemOf(error)
  if (problem !== null)
    return (
      <Note tone="bad">
        {problem.message} <code>{problem.code}</code>
      </Note>
    )
  if (data === undefined || variables?.model !== undefined) return null
  return (
    <Note tone={data.models.length === 0 ? 'warn' : 'ok'}>
      {data.models.length === 0
        ? 'The server answers, but does not list its models. Type the name of one.'
        : `The server has ${formatCount(data.models.length, 'model')}. Choose one.`}
    </Note>
  )
}
