import { Button, NativeSelect } from '@mantine/core'
import { Check, Plus, X } from 'lucide-react'
import { type Condition, Operator, takesOperand } from '#shared/model/condition.ts'
import { evaluate } from '#shared/workflows/conditions.ts'
import { createRenderer, InvalidVariable, RenderedTooLarge } from '#shared/workflows/renderer.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { optionsOf } from '../../../ui/options-of.ts'
import { TemplateField } from '../../../ui/template-field.tsx'
import { operatorLabels } from '../condition-labels.ts'
import { type Path, pathKey } from '../step-paths.ts'
import { FieldProblems, PreviewText } from './field-parts.tsx'
import { laterStep, previewOf, withNearest } from './preview.ts'
import { problemsIn, useStepEditing } from './step-view.ts'
import classes from './steps.module.css'

export const newComparison = (): Condition => ({ value: '', operator: 'equals', operand: '' })

type Props<Of extends Condition> = {
  readonly condition: Of
  readonly path: Path
  /** The path of the branch. */
  readonly step: Path
  /** @param field names what is typed. */
  readonly onChange: (next: Condition, field?: string) => void
}

/** The fields of a condition: a comparison, or several of which all or any must hold. */
export function ConditionFields({ condition, ...props }: Props<Condition>) {
  if ('all' in condition) return <Group {...props} condition={condition} word="all" parts={condition.all} />
  if ('any' in condition) return <Group {...props} condition={condition} word="any" parts={condition.any} />
  return (
    <div className={classes.conditions}>
      <Comparison {...props} condition={condition} />
      <AddPart
        onAdd={word => props.onChange(groupOf(word, [condition, newComparison()]))}
        words={[
          ['all', 'And'],
          ['any', 'Or'],
        ]}
      />
    </div>
  )
}

type Word = 'all' | 'any'
const groupOf = (word: Word, parts: Condition[]): Condition =>
  word === 'all' ? { all: parts } : { any: parts }

function AddPart(props: {
  readonly words: readonly (readonly [Word, string])[]
  readonly onAdd: (word: Word) => void
}) {
  return (
    <div className="row">
      {props.words.map(([word, label]) => (
        <Button
          key={word}
          size="xs"
          variant="subtle"
          leftSection={<Plus />}
          onClick={() => props.onAdd(word)}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

function Group(props: Props<Condition> & { readonly word: Word; readonly parts: readonly Condition[] }) {
  const { word, parts, path, step, onChange } = props
  const set = (next: readonly Condition[], field?: string) => {
    const [only] = next
    // One part alone needs no group.
    onChange(next.length === 1 && only !== undefined ? only : groupOf(word, [...next]), field)
  }
  return (
    <div className={classes.conditions} data-group>
      <NativeSelect
        size="xs"
        w={150}
        aria-label="Which conditions must be true"
        data={optionsOf({ all: 'All of these', any: 'Any of these' })}
        value={word}
        onChange={event => onChange(groupOf(event.currentTarget.value === 'any' ? 'any' : 'all', [...parts]))}
      />
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is known by its place
        <div key={index} className={classes.part}>
          <ConditionPart
            condition={part}
            path={[...path, word, index]}
            step={step}
            onChange={(next, field) => set(parts.with(index, next), field)}
          />
          <IconButton
            icon={X}
            size="xs"
            label={`Remove condition ${index + 1}`}
            onClick={() => set(parts.toSpliced(index, 1))}
          />
        </div>
      ))}
      <AddPart words={[[word, 'Add a condition']]} onAdd={() => set([...parts, newComparison()])} />
    </div>
  )
}

/** A part of a group: without the buttons that would make another group of it. */
function ConditionPart({ condition, ...props }: Props<Condition>) {
  return 'value' in condition ? (
    <Comparison {...props} condition={condition} />
  ) : (
    <ConditionFields {...props} condition={condition} />
  )
}

function Comparison({ condition, path, step, onChange }: Props<Extract<Condition, { value: string }>>) {
  const { contextAt, problems } = useStepEditing()
  const { scope, names, paths } = contextAt(step)
  const { value, operator, operand } = condition
  const shown = typeof operand === 'string' ? operand : operand === undefined ? '' : JSON.stringify(operand)
  const key = pathKey(path)
  // The headers of the chosen event are not known.
  const hasHeaders = step[0] === 'trigger' && /\{\{\s*headers\b/.test(value + shown)
  const holds = value === '' || scope === null || hasHeaders ? null : holdsWith(condition, scope)
  const isInvalid = (part: string) => problemsIn(problems, [...path, part]).length > 0
  return (
    <div className="grow">
      <div className={classes.comparison}>
        <span data-field={`${key}.value`}>
          <TemplateField
            label="Value"
            value={value}
            placeholder="{{field}}"
            names={names}
            paths={paths}
            wraps
            isInvalid={isInvalid('value')}
            onChange={next => onChange({ ...condition, value: next }, `${key}.value`)}
          />
        </span>
        <NativeSelect
          size="sm"
          aria-label="Comparison"
          data={Operator.options.map(option => ({ value: option, label: operatorLabels[option] }))}
          value={operator}
          onChange={event => {
            const next = Operator.parse(event.currentTarget.value)
            const { operand: _, ...rest } = condition
            onChange({ ...rest, operator: next, ...(takesOperand(next) && { operand: operand ?? '' }) })
          }}
        />
        {takesOperand(operator) ? (
          <span data-field={`${key}.operand`}>
            <TemplateField
              label="Compared with"
              value={shown}
              names={names}
              paths={paths}
              wraps
              isInvalid={isInvalid('operand')}
              onChange={next => onChange({ ...condition, operand: next }, `${key}.operand`)}
            />
          </span>
        ) : (
          <span />
        )}
      </div>
      {holds !== null && (
        <div className={`${classes.holds} sm t3`}>
          {holds ? <Check size={14} className="ok" /> : <X size={14} />}
          {holds ? 'True for' : 'False for'}
          <PreviewText preview={previewOf(value, scope)} />
        </div>
      )}
      <FieldProblems
        path={[...path, 'value']}
        onFix={nearest => onChange({ ...condition, value: withNearest(value, nearest, paths.isKnown) })}
      />
      <FieldProblems
        path={[...path, 'operand']}
        onFix={nearest => onChange({ ...condition, operand: withNearest(shown, nearest, paths.isKnown) })}
      />
    </div>
  )
}

/** Returns whether a condition holds with an event; null if its values cannot be used. */
function holdsWith(condition: Condition, scope: Scope): boolean | null {
  const render = createRenderer(scope)
  try {
    const { holds } = evaluate(condition, render)
    return laterStep(render, scope) === undefined ? holds : null
  } catch (error) {
    if (error instanceof RenderedTooLarge || error instanceof InvalidVariable) return null
    throw error
  }
}
