import { Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Headset } from 'lucide-react'
import type { ReactNode } from 'react'
import { type AgentUse, ConversationAgent } from '#shared/model/conversation.ts'
import { languageName } from '#shared/platform/translations.ts'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { Unknown } from '../../ui/badges.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { SearchSelect } from '../../ui/search-select.tsx'
import classes from './model.module.css'

/** Returns the ids of the workspace’s agents; undefined until they are known. */
export function useAgentIds(): readonly string[] | undefined {
  const { workspace } = useWorkspace()
  const { data } = useQuery(
    api.platform.agents.queryOptions({
      input: { workspaceId: workspace?.workspaceId },
      enabled: workspace !== null,
    }),
  )
  return data?.map(({ agentId }) => agentId)
}

const none = ''

/** The agent of the conversation, and which of its settings the conversation uses. */
export function AgentSection(props: {
  /** Undefined until it is known. */
  readonly agent: ConversationAgent | null | undefined
  /** Null until it is counted, or if the agent was deleted. */
  readonly use: AgentUse | null
  readonly isBusy: boolean
  readonly onChange: (agent: ConversationAgent | null) => void
}) {
  const { agent, use, isBusy, onChange } = props
  const agentIds = useAgentIds()
  if (agent === undefined || agentIds === undefined) return null
  if (agent === null && agentIds.length === 0)
    return (
      <div className={classes.section}>
        <h3 className="h3">Agent</h3>
        <p className="sm t3">
          The workspace has none. An agent’s languages, texts, files and forms can be used here.
        </p>
      </div>
    )
  const isKnown = agent === null || agentIds.includes(agent.agentId)
  const choices = isKnown ? agentIds : [agent.agentId, ...agentIds]
  return (
    <div className={classes.section}>
      <SearchSelect
        size="sm"
        label="Agent"
        data={[{ value: none, label: 'None' }, ...choices.map(value => ({ value, label: value }))]}
        value={agent?.agentId ?? none}
        disabled={isBusy}
        leftSection={<Headset size={14} />}
        onChange={value =>
          onChange(value === null || value === none ? null : ConversationAgent.parse({ agentId: value }))
        }
      />
      {!isKnown && (
        <p className="sm warn">This agent was deleted. The conversation no longer uses its settings.</p>
      )}
      {agent !== null && isKnown && (
        <div className={classes.settings}>
          {settingsOf(use).map(({ name, label, fact, isEmpty }) => (
            <Setting
              key={name}
              label={label}
              fact={use === null ? <Unknown /> : fact}
              isOn={agent[name]}
              isDisabled={isBusy || isEmpty}
              onChange={isOn => onChange({ ...agent, [name]: isOn })}
            />
          ))}
        </div>
      )}
      {use !== null && agent?.texts && use.textsThatFit < use.texts && (
        <p className="sm t3" style={{ marginTop: 6 }}>
          {formatCount(use.texts - use.textsThatFit, 'text')} left out: the model gets at most 16,000
          characters of them, and fewer if its context is small.
        </p>
      )}
    </div>
  )
}

type SettingName = Exclude<keyof ConversationAgent, 'agentId'>
type SettingFacts = {
  readonly name: SettingName
  readonly label: string
  readonly fact: string
  readonly isEmpty: boolean
}

function settingsOf(use: AgentUse | null): readonly SettingFacts[] {
  const { texts = 0, textsThatFit = 0, files = 0, forms = 0 } = use ?? {}
  const count = (number: number) => (number === 0 ? 'none' : formatNumber(number))
  const all = count(texts)
  return [
    { name: 'language', label: 'Language', fact: languagesOf(use), isEmpty: false },
    {
      name: 'texts',
      label: 'Fixed texts',
      fact: textsThatFit < texts ? `${formatNumber(textsThatFit)} of ${all}` : all,
      isEmpty: use !== null && texts === 0,
    },
    { name: 'knowledge', label: 'Knowledge files', fact: count(files), isEmpty: use !== null && files === 0 },
    { name: 'forms', label: 'Forms', fact: count(forms), isEmpty: use !== null && forms === 0 },
  ]
}

function languagesOf(use: AgentUse | null): string {
  const names = (use?.languages ?? []).map(code => languageName(code) ?? code)
  return use?.autoDetect ? `yours, else ${names[0]}` : names.join(', ')
}

function Setting(props: {
  readonly label: string
  readonly fact: ReactNode
  readonly isOn: boolean
  readonly isDisabled: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  const { label, fact, isOn, isDisabled, onChange } = props
  return (
    <div className={classes.setting}>
      <Switch
        label={label}
        checked={isOn}
        disabled={isDisabled}
        onChange={event => onChange(event.currentTarget.checked)}
      />
      <span className="sm t3 cut num">{fact}</span>
    </div>
  )
}
