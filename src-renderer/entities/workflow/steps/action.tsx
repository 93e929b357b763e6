import { ArrowUpRight, X } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { inputsOf, type Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'
import { type ActionStep, actionOf } from '#shared/workflows/steps/action.ts'
import { variablesIn } from '#shared/workflows/templates.ts'
import { Method } from '../../../ui/badges.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SearchSelect } from '../../../ui/search-select.tsx'
import { type Path, pathKey } from '../step-paths.ts'
import { FieldProblems, TemplateRow } from './field-parts.tsx'
import { previewOf } from './preview.ts'
import { type FieldsOf, plain, type StepView, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'

export const action: StepView<ActionStep> = {
  ...plain,
  name: 'Call an action',
  purpose: 'Calls an action of a connection, signed',
  icon: ArrowUpRight,
  key: 'call',
  blank: key => ({ key, type: 'action', connectionId: '', toolName: '', arguments: {} }),
  title: (step, actionsOf) => actionOf(step, actionsOf)?.name ?? (step.toolName || action.name),
  target: (step, nameOf, actionsOf) =>
    step.toolName === ''
      ? null
      : {
          method: actionOf(step, actionsOf)?.method,
          name: step.toolName,
          from: nameOf(step.connectionId),
          text: `${nameOf(step.connectionId)} · ${step.toolName}`,
        },
  outcome: () => null,
  Summary,
  Fields,
}

function Summary({ step }: { readonly step: ActionStep }) {
  const { actionsOf, nameOf } = useStepEditing()
  if (step.connectionId === '') return 'Choose a connection and an action'
  const called = actionOf(step, actionsOf)
  return (
    <span className="row">
      {called !== undefined && <Method method={called.method} />}
      <span className="cut">
        {nameOf(step.connectionId)} · <code>{step.toolName}</code>
      </span>
    </span>
  )
}

type Json = z.infer<ReturnType<typeof z.json>>

/** The connection, the action and its arguments. */
function Fields({ step, path }: FieldsOf<ActionStep>) {
  const { useConnectionChoice, actionsOf, setStep, amendStep, contextAt } = useStepEditing()
  const { connectionId, toolName } = step
  const { rows, onTyped } = useConnectionChoice(connectionId)
  const actions = actionsOf(connectionId)
  const action = actions?.find(one => one.toolName === toolName)
  const parameters = inputsOf(action?.parameters ?? [])
  const unknown = Object.keys(step.arguments).filter(name => !parameters.some(one => one.name === name))

  function withAction(next: string): ActionStep {
    const chosen = actions?.find(one => one.toolName === next)
    const { names } = contextAt(path)
    // A required argument begins with the variable of its name.
    const begun = inputsOf(chosen?.parameters ?? []).flatMap(({ name, required }): [string, Json][] => {
      const before = step.arguments[name]
      if (before !== undefined) return [[name, before]]
      const found = names.find(variable => variable === name) ?? names.find(one => one.endsWith(`.${name}`))
      return required && found !== undefined ? [[name, `{{${found}}}`]] : []
    })
    return { ...step, toolName: next, arguments: Object.fromEntries(begun) }
  }

  const choose = (next: string) => setStep(path, withAction(next))

  function set(name: string, value: Json | undefined): void {
    const { [name]: _, ...rest } = step.arguments
    const next = value === undefined ? rest : { ...step.arguments, [name]: value }
    setStep(path, { ...step, arguments: next }, `${pathKey(path)}.arguments.${name}`)
  }

  return (
    <>
      <div className={classes.pair}>
        <SearchSelect
          data-field={pathKey([...path, 'connectionId'])}
          label="Connection"
          size="sm"
          placeholder="Choose a connection"
          value={connectionId === '' ? null : connectionId}
          onTyped={onTyped}
          data={rows.map(({ connectionId: id, name, actionCount }) => ({
            value: id,
            label: name,
            disabled: actionCount === 0,
          }))}
          renderOption={({ option }) => (
            <span className={classes.option}>
              <span className="cut">{option.label}</span>
              {option.disabled === true && <span className="t3 sm">no actions</span>}
            </span>
          )}
          onChange={id => id !== null && setStep(path, { ...step, connectionId: id, toolName: '' })}
          onOnly={id => amendStep(path, { ...step, connectionId: id, toolName: '' })}
        />
        <SearchSelect
          data-field={pathKey([...path, 'toolName'])}
          label="Action"
          size="sm"
          nothingFoundMessage="No action of this name"
          placeholder={
            connectionId === ''
              ? 'Choose a connection first'
              : actions === null
                ? 'Reading the actions…'
                : actions.length === 0
                  ? 'This connection has no actions'
                  : 'Choose an action'
          }
          value={toolName === '' ? null : toolName}
          data={(actions ?? []).map(one => ({ value: one.toolName, label: one.name }))}
          onChange={next => next !== null && choose(next)}
          onOnly={next => amendStep(path, withAction(next))}
        />
      </div>
      <FieldProblems path={[...path, 'connectionId']} />
      <FieldProblems path={[...path, 'toolName']} onFix={choose} />
      {parameters.map(parameter => (
        <Argument
          key={parameter.name}
          parameter={parameter}
          step={step}
          path={path}
          onChange={value => set(parameter.name, value)}
        />
      ))}
      {action !== undefined && parameters.length === 0 && (
        <p className="sm t3">The action takes no arguments.</p>
      )}
      {unknown.map(name => (
        <TemplateRow
          key={name}
          label={name}
          isName
          path={[...path, 'arguments', name]}
          step={path}
          value={textOfJson(step.arguments[name])}
          previewWith={scope => previewOf(step.arguments[name], scope)}
          onChange={text => set(name, text)}
          end={
            <IconButton icon={X} size="xs" label={`Remove ${name}`} onClick={() => set(name, undefined)} />
          }
          onFix={nearest => {
            const { [name]: value, ...rest } = step.arguments
            if (value !== undefined) setStep(path, { ...step, arguments: { ...rest, [nearest]: value } })
          }}
        />
      ))}
    </>
  )
}

function Argument(props: {
  readonly parameter: Parameter
  readonly step: ActionStep
  readonly path: Path
  readonly onChange: (value: Json | undefined) => void
}) {
  const { parameter, step, path, onChange } = props
  const { name, type, required } = parameter
  const value = step.arguments[name]
  // The typed text stays as it is, although `1.0` and `{ "a": 1 }` are kept as values.
  const [typed, setTyped] = useState('')
  const isTyped = JSON.stringify(jsonOf(typed, type)) === JSON.stringify(value)
  return (
    <TemplateRow
      label={name}
      isName
      path={[...path, 'arguments', name]}
      step={path}
      value={isTyped ? typed : textOfJson(value)}
      previewWith={scope => previewOf(value, scope)}
      placeholder={required ? type : `${type}, left out`}
      onChange={text => {
        setTyped(text)
        onChange(jsonOf(text, type))
      }}
    />
  )
}

function textOfJson(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns the value that a text stands for: a number where one is wanted. Undefined for an empty text. */
function jsonOf(text: string, type: Parameter['type']): Json | undefined {
  if (text === '') return undefined
  if (
    parameterKinds[type].schemaType === 'string' ||
    (variablesIn(text).length > 0 && !/^\s*[{[]\s*"/.test(text))
  )
    return text
  try {
    const value: Json = JSON.parse(text)
    return typeof value === 'string' ? text : value
  } catch {
    return text
  }
}
