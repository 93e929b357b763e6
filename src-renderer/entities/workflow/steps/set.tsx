import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Braces, Plus, X } from 'lucide-react'
import { isObject } from '#shared/json/exact-json.ts'
import { mask } from '#shared/model/environment.ts'
import { kindOf } from '#shared/workflows/steps/kinds.ts'
import { maxSetValues, type SetStep, SetType, type SetValue } from '#shared/workflows/steps/set.ts'
import { textOf } from '#shared/workflows/templates.ts'
import { formatCount } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { TemplateField } from '../../../ui/template-field.tsx'
import { pathKey } from '../step-paths.ts'
import { FieldProblems, PreviewText } from './field-parts.tsx'
import { type Preview, previewBy, previewOf, withNearest } from './preview.ts'
import { type FieldsOf, plain, problemsIn, type StepView, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'

const typeLabels: Readonly<Record<SetType, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  list: 'List',
  json: 'JSON',
}

export const set: StepView<SetStep> = {
  ...plain,
  name: 'Set',
  purpose: 'Computes values, each with its type, that later steps use',
  icon: Braces,
  key: 'set',
  blank: key => ({ key, type: 'set', values: { value: { value: '' } } }),
  title: () => set.name,
  outcome(_step, { output }) {
    if (!isObject(output)) return null
    return Object.entries(output)
      .map(
        ([name, value]) =>
          `${name} ${Array.isArray(value) ? formatCount(value.length, 'item') : textOf(value)}`,
      )
      .join(' · ')
  },
  Summary: ({ step: { values } }) => formatCount(Object.keys(values).length, 'value'),
  Fields,
}

function Fields({ step, path }: FieldsOf<SetStep>) {
  const { setStep } = useStepEditing()
  const entries = Object.entries(step.values)
  const change = (next: readonly (readonly [string, SetValue])[], field?: string) =>
    setStep(path, { ...step, values: Object.fromEntries(next) }, field)
  return (
    <div className="stack">
      {entries.map(([name, value], index) => (
        <ValueRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a value is known by its place while its name is typed
          key={index}
          name={name}
          value={value}
          step={step}
          path={path}
          isNew={next => next === name || !Object.hasOwn(step.values, next)}
          onChange={(next, field) => change(entries.with(index, [...next]), field)}
          {...(entries.length > 1 && { onRemove: () => change(entries.toSpliced(index, 1)) })}
        />
      ))}
      {entries.length < maxSetValues && (
        <div>
          <Button
            size="xs"
            variant="subtle"
            leftSection={<Plus />}
            onClick={() => change([...entries, [freeName(step.values), { value: '' }]])}
          >
            Add a value
          </Button>
        </div>
      )}
    </div>
  )
}

function freeName(values: SetStep['values']): string {
  let number = Object.keys(values).length + 1
  while (Object.hasOwn(values, `value_${number}`)) number++
  return `value_${number}`
}

function ValueRow(props: {
  readonly name: string
  readonly value: SetValue
  readonly step: SetStep
  readonly path: FieldsOf<SetStep>['path']
  /** Returns whether no other value has a name. */
  readonly isNew: (name: string) => boolean
  readonly onChange: (next: readonly [string, SetValue], field?: string) => void
  readonly onRemove?: () => void
}) {
  const { name, value, step, path, isNew, onChange, onRemove } = props
  const { contextAt, problems } = useStepEditing()
  const { scope, names, paths } = contextAt(path)
  const here = [...path, 'values', name]
  const text = typeof value.value === 'string' ? value.value : JSON.stringify(value.value)
  const changeValue = (next: string, field?: string) => onChange([name, { ...value, value: next }], field)
  return (
    <div>
      <div className={classes.setRow} data-field={pathKey(here)}>
        <TextInput
          size="sm"
          aria-label="Name"
          classNames={{ input: 'mono' }}
          value={name}
          onChange={event => {
            const next = event.currentTarget.value
            if (isNew(next)) onChange([next, value], `${pathKey(path)}.values.name`)
          }}
        />
        <NativeSelect
          size="sm"
          aria-label={`Type of ${name}`}
          data={[
            { value: '', label: 'As it is' },
            ...SetType.options.map(type => ({ value: type, label: typeLabels[type] })),
          ]}
          value={value.as ?? ''}
          onChange={event => {
            const { success, data } = SetType.safeParse(event.currentTarget.value)
            onChange([name, { value: value.value, ...(success && { as: data }) }])
          }}
        />
        <TemplateField
          label={`Value of ${name}`}
          value={text}
          names={names}
          paths={paths}
          wraps
          isInvalid={problemsIn(problems, here).length > 0}
          onChange={next => changeValue(next, pathKey([...here, 'value']))}
        />
        <PreviewText preview={previewOfValue(step, name, previewOf(value.value, scope), scope)} />
        {onRemove === undefined ? (
          <span />
        ) : (
          <IconButton icon={X} size="xs" label={`Remove ${name}`} onClick={onRemove} />
        )}
      </div>
      <FieldProblems path={here} onFix={nearest => changeValue(withNearest(text, nearest, paths.isKnown))} />
    </div>
  )
}

/** Returns what a value becomes with the chosen event: converted, or why it cannot be. */
function previewOfValue(
  step: SetStep,
  name: string,
  plainPreview: Preview | null,
  scope: Parameters<typeof previewBy>[0],
): Preview | null {
  const value = step.values[name]
  if (value?.as === undefined || plainPreview?.kind !== 'value' || plainPreview.value === mask)
    return plainPreview
  return previewBy(scope, render => {
    const { effect } = kindOf(step).prepare({ ...step, values: { [name]: value } }, render)
    if (effect.kind === 'failed') return { kind: 'failed', why: effect.error.message }
    const shown = effect.kind !== 'decided' ? null : (effect.shown ?? effect.output)
    return { kind: 'value', value: isObject(shown) ? shown[name] : null, absent: [...render.absent] }
  })
}
