import { Button, NumberInput } from '@mantine/core'
import { ChevronsUpDown, Cpu, Info, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ModelServer } from '#shared/model/assistant-model.ts'
import { formatBytes } from '../../ui/format.ts'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { canCallTools, contextOf, hostOf, leftOutLabel, settingOf } from './server-labels.ts'
import classes from './setup.module.css'
import { SetupCard } from './setup-card.tsx'
import { useChooseModel } from './use-models.ts'

const group = 'Choice of a model'

export const isUsable = (server: ModelServer) => server.state === 'found' && server.models.some(canCallTools)

type CardProps = {
  readonly server: ModelServer
  readonly isChosen: boolean
  readonly isChecking: boolean
  readonly onPick: () => void
  readonly onCheck: () => void
  readonly onDone: () => void
}

/** A model server of this computer: its models, or what it lacks. */
export function ServerCard(props: CardProps) {
  const { server, isChosen, isChecking, onCheck } = props
  if (isUsable(server)) return <UsableServer {...props} />
  const [tone, word] = stateWords(server)
  return (
    <SetupCard
      icon={<Cpu size={16} />}
      name={server.name}
      isChosen={isChosen}
      pill={<Pill tone={tone}>{word}</Pill>}
      about={<Lack server={server} />}
      action={<CheckButton isChosen={isChosen} isChecking={isChecking} onCheck={onCheck} />}
      onPick={props.onPick}
    />
  )
}

function CheckButton(props: Pick<CardProps, 'isChosen' | 'isChecking' | 'onCheck'>) {
  const { isChosen, isChecking, onCheck } = props
  useShortcut({ keys: 'mod+enter', label: 'Check again', group }, onCheck, isChosen)
  return (
    <Button size="md" leftSection={<RotateCw />} loading={isChecking} onClick={onCheck}>
      Check again
    </Button>
  )
}

function stateWords(server: ModelServer): readonly [Tone, string] {
  switch (server.state) {
    case 'not_running':
      return ['off', 'Not running']
    case 'no_models':
      return ['warn', 'No models']
    case 'failed':
      return ['bad', 'Failed']
    case 'found':
      return ['warn', 'No model calls tools']
  }
}

/** Says what a server lacks, and how to get it. */
function Lack({ server }: { readonly server: ModelServer }): ReactNode {
  const { provider, state, baseUrl, problem } = server
  const host = <code>{hostOf(baseUrl)}</code>
  if (state === 'failed')
    return (
      <>
        {problem?.message ?? 'The response is not that of a model server.'}{' '}
        {problem !== null && <code>{problem.code}</code>}
      </>
    )
  if (state === 'not_running')
    return (
      <>
        Nothing answers at {host}.{' '}
        {provider === 'ollama'
          ? 'Start Ollama, or install it from ollama.com.'
          : 'In LM Studio, open Developer and start the server.'}
      </>
    )
  const get =
    provider === 'ollama' ? (
      <>
        Get one with <code>ollama pull qwen3:8b</code>.
      </>
    ) : (
      'In LM Studio, download one and load it.'
    )
  return state === 'no_models' ? (
    <>
      It runs at {host} but has no model. {get}
    </>
  ) : (
    <>
      {leftOutLabel(server)} {get}
    </>
  )
}

function UsableServer({ server, isChosen, onPick, onDone }: CardProps) {
  const { name, baseUrl } = server
  const usable = server.models.filter(canCallTools)
  const [wanted, setWanted] = useState<string | null>(null)
  const found = usable.find(({ model }) => model === wanted) ?? usable[0]
  const [context, setContext] = useState<number | null>(null)
  const choose = useChooseModel(onDone)
  const tokens = context ?? (found === undefined ? 0 : contextOf(found))
  function use(): void {
    if (found === undefined || choose.isPending) return
    choose.mutate({ assistantModel: { ...settingOf(server, found), contextTokens: tokens } })
  }
  useShortcut({ keys: 'mod+enter', label: `Use ${name}`, group }, use, isChosen)
  const left = leftOutLabel(server)
  const details = [
    found?.bytes == null ? '' : formatBytes(found.bytes),
    found?.callsTools === true ? 'calls tools' : '',
  ].filter(Boolean)
  return (
    <SetupCard
      icon={<Cpu size={16} />}
      name={name}
      isChosen={isChosen}
      pill={<Pill tone="ok">Found</Pill>}
      about={
        <>
          On the service’s computer, <code>{hostOf(baseUrl)}</code>.
        </>
      }
      action={
        <WriteButton
          variant={isChosen ? 'filled' : undefined}
          size="md"
          keys={isChosen && 'mod+enter'}
          disabled={choose.isPending}
          onClick={use}
        >
          Use {name}
        </WriteButton>
      }
      onPick={onPick}
    >
      <div className={classes.two}>
        <SearchSelect
          size="sm"
          label="Model"
          data={usable.map(({ model }) => model)}
          value={found?.model ?? null}
          onChange={value => {
            setWanted(value)
            setContext(null)
          }}
          rightSection={
            <span className={classes.details}>
              {details.join(', ')}
              <ChevronsUpDown size={12} />
            </span>
          }
          rightSectionWidth="auto"
          rightSectionPointerEvents="none"
        />
        <NumberInput
          size="sm"
          label="Context"
          hideControls
          rightSection={<span className={classes.details}>tokens</span>}
          rightSectionWidth="auto"
          rightSectionPointerEvents="none"
          min={1024}
          max={10_000_000}
          step={1024}
          allowDecimal={false}
          value={tokens}
          onChange={value => setContext(typeof value === 'number' ? value : null)}
        />
      </div>
      {left !== null && (
        <p className={classes.remark}>
          <Info size={14} />
          {left}
        </p>
      )}
    </SetupCard>
  )
}
