import { Button, Popover } from '@mantine/core'
import { ChevronDown, ChevronsUpDown, Cpu } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AssistantModel } from '#shared/model/assistant-model.ts'
import type { AgentUse, ContextUse, ConversationAgent } from '#shared/model/conversation.ts'
import type { Tool, ToolListing } from '#shared/model/tool.ts'
import { ToolListingChoice } from '../../entities/tool/tool-listing-choice.tsx'
import { Method, Unknown } from '../../ui/badges.tsx'
import { cssVariables } from '../../ui/css-variables.ts'
import { formatNumber } from '../../ui/format.ts'
import { BackButton } from '../../ui/master-detail.tsx'
import pane from '../../ui/pane.module.css'
import { SearchSelect } from '../../ui/search-select.tsx'
import { ToolName } from '../../ui/tool-name.tsx'
import { useNarrow } from '../../ui/use-narrow.ts'
import { AgentSection } from './agent-section.tsx'
import classes from './model.module.css'
import { canCallTools, isLocal, serverName, settingOf, whereLabel } from './server-labels.ts'
import setup from './setup.module.css'
import { useChooseModel, useFoundModels } from './use-models.ts'

/** The model that answers, the agent that it speaks for, how full its context is, and the tools that it has. */
export function ModelPane(props: {
  readonly model: AssistantModel
  /** Null until it is counted. */
  readonly context: ContextUse | null
  /** Undefined until it is known. */
  readonly agent: ConversationAgent | null | undefined
  /** Null until it is counted, or if the agent was deleted. */
  readonly agentUse: AgentUse | null
  readonly isAgentChanging: boolean
  readonly onAgentChange: (agent: ConversationAgent | null) => void
  /** Undefined until they are known. */
  readonly tools: readonly Tool[] | undefined
  readonly toolCount: number | undefined
  /** Undefined until it is known. */
  readonly listing: ToolListing | undefined
  readonly isListingChanging: boolean
  readonly onListingChange: (listing: ToolListing) => void
  /** Actions that are called without asking in this conversation. */
  readonly always: readonly string[]
  readonly onSetUp: () => void
}) {
  const { model, context, tools, toolCount, listing, always, onSetUp } = props
  const isNarrow = useNarrow()
  return (
    <section className={classes.model} aria-label="Model and tools">
      {isNarrow && (
        <div className={pane.bar}>
          <BackButton />
          <h2 className="h3">Model and tools</h2>
        </div>
      )}
      <div className={classes.section}>
        <ModelSelect model={model} onSetUp={onSetUp} />
        <p className={isLocal(model.baseUrl) ? 'sm t3' : 'sm warn'} style={{ marginTop: 4 }}>
          {whereLabel(model.baseUrl)}
        </p>
      </div>
      <AgentSection
        agent={props.agent}
        use={props.agentUse}
        isBusy={props.isAgentChanging}
        onChange={props.onAgentChange}
      />
      <Context context={context} limit={model.contextTokens} />
      <Tools tools={tools} count={toolCount} always={always}>
        {listing !== undefined && (
          <div className={classes.listing}>
            <ToolListingChoice
              label="Tools of the conversation"
              listing={listing}
              connectionId={null}
              isDisabled={props.isListingChanging}
              onChange={props.onListingChange}
            />
          </div>
        )}
      </Tools>
    </section>
  )
}

const another = 'another'
const keyOf = ({ baseUrl, model }: Pick<AssistantModel, 'baseUrl' | 'model'>) =>
  JSON.stringify([baseUrl, model])

function ModelSelect({ model, onSetUp }: { readonly model: AssistantModel; readonly onSetUp: () => void }) {
  const { data } = useFoundModels()
  const choose = useChooseModel()
  const found = (data?.providers ?? []).flatMap(server =>
    server.models.filter(canCallTools).map(one => settingOf(server, one)),
  )
  const isFound = found.some(one => keyOf(one) === keyOf(model))
  const choices = isFound ? found : [model, ...found]
  const groups = Object.entries(Object.groupBy(choices, serverName)).map(([group, items = []]) => ({
    group,
    items: items.map(one => ({ value: keyOf(one), label: one.model })),
  }))
  return (
    <SearchSelect
      size="sm"
      label="Model"
      data={[...groups, { group: 'More', items: [{ value: another, label: 'Another model or server…' }] }]}
      value={keyOf(model)}
      disabled={choose.isPending}
      leftSection={<Cpu size={14} />}
      rightSection={
        <span className={setup.details}>
          <span className="cut" style={{ maxWidth: 96 }}>
            {serverName(model)}
          </span>
          <ChevronsUpDown size={12} />
        </span>
      }
      rightSectionWidth="auto"
      rightSectionPointerEvents="none"
      comboboxProps={{ width: 'target' }}
      onChange={value => {
        if (value === another) return onSetUp()
        const chosen = choices.find(one => keyOf(one) === value)
        if (chosen !== undefined) choose.mutate({ assistantModel: chosen })
      }}
    />
  )
}

function Context({ context, limit }: { readonly context: ContextUse | null; readonly limit: number }) {
  const shares = [
    { name: 'Instructions and tools', color: '--cc-t-dns', tokens: context?.instructionsAndTools },
    { name: 'Messages', color: '--cc-t-wait', tokens: context?.messages },
    { name: 'Results of calls', color: '--cc-t-tcp', tokens: context?.results },
  ]
  const used = context === null ? null : shares.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
  const most = context?.limit ?? limit
  return (
    <div className={classes.section}>
      <div className="row">
        <h3 className="h3">Context</h3>
        <span className="push num sm">
          <b className="w5">{used === null ? <Unknown /> : formatNumber(used)}</b>{' '}
          <span className="t3">of {formatNumber(most)}</span>
        </span>
      </div>
      <div className={classes.meter} aria-hidden="true">
        {shares.map(({ name, color, tokens = 0 }) => (
          <i
            key={name}
            style={{
              ...cssVariables({ '--share': `var(${color})` }),
              width: `${Math.min(100, (100 * tokens) / most)}%`,
            }}
          />
        ))}
        <i />
      </div>
      <div className={classes.legend}>
        {shares.map(({ name, color, tokens }) => (
          <Share key={name} name={name} color={color} tokens={tokens} />
        ))}
      </div>
      {context !== null && context.state !== 'enough' && (
        <p
          className={`sm ${context.state === 'full' ? 'bad' : 'warn'}`}
          style={{ marginTop: 8 }}
          role="status"
        >
          {context.state === 'full'
            ? 'Full: the next message is refused. Start a new conversation, or choose a model with a larger context.'
            : 'Nearly full. A new conversation starts with an empty context.'}
        </p>
      )}
    </div>
  )
}

function Share(props: {
  readonly name: string
  readonly color: string
  readonly tokens: number | undefined
}) {
  const { name, color, tokens } = props
  return (
    <>
      <i style={cssVariables({ '--share': `var(${color})` })} aria-hidden="true" />
      <span>{name}</span>
      <span className="num">{tokens === undefined ? <Unknown /> : formatNumber(tokens)}</span>
    </>
  )
}

function Tools(props: {
  readonly tools: readonly Tool[] | undefined
  readonly count: number | undefined
  readonly always: readonly string[]
  readonly children: ReactNode
}) {
  const { tools, count, always, children } = props
  return (
    <div className={classes.tools}>
      <div className={classes.toolsHead}>
        <h3 className="h3">Tools</h3>
        <span className="sm t3 num">{count === undefined ? <Unknown /> : formatNumber(count)}</span>
        <span className="push" />
        <Popover position="bottom-end" width={260} shadow="md" withinPortal>
          <Popover.Target>
            <Button size="xs" variant="subtle" rightSection={<ChevronDown size={12} />}>
              Asks: all but GET
            </Button>
          </Popover.Target>
          <Popover.Dropdown p={12} aria-label="What asks">
            <p className="sm t2">
              A GET only reads, so it runs at once. Every other call asks you first. “Always” holds for one
              tool in one conversation until the action sends something else, and never for a DELETE.
            </p>
          </Popover.Dropdown>
        </Popover>
      </div>
      {children}
      {tools?.length === 0 && (
        <p className={classes.hint}>
          None. An enabled action of a connection with a base URL becomes a tool.
        </p>
      )}
      <ul>
        {tools?.map(({ name, actionId, method, description }) => (
          <li key={name} className={classes.tool} title={description}>
            <ToolName name={name} hasCopy />
            <span className="row xs t3">
              <Method method={method} />
              {method === null
                ? ''
                : method === 'GET'
                  ? 'runs'
                  : always.includes(actionId)
                    ? 'always'
                    : 'asks'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
