import { SegmentedControl, TextInput } from '@mantine/core'
import { memo, useId } from 'react'
import type { PlaceholderInPaths } from '#shared/model/import-operation.ts'
import { formatCount } from '../../ui/format.ts'
import { type Filling, fillingProblem } from './operations.ts'
import classes from './placeholders-step.module.css'

const choices = [
  { value: 'parameter', label: 'Parameter' },
  { value: 'constant', label: 'Constant' },
]

/** Chooses between a parameter for a placeholder, which each call gives, and a constant. */
export const PlaceholderField = memo(function PlaceholderField(props: {
  readonly placeholder: PlaceholderInPaths
  readonly filling: Filling
  readonly onFill: (name: string, filling: Filling) => void
}) {
  const { placeholder, filling, onFill } = props
  const { name, operations, description } = placeholder
  const descriptionId = useId()
  const set = (value: string) => onFill(name, { isConstant: true, value })

  return (
    <fieldset className={classes.part}>
      <legend className="sr">{name}</legend>
      <div className={classes.name}>
        <code className="cut" title={name}>{`{${name}}`}</code>
        <span className="sm t3 num cut">{formatCount(operations, 'operation')}</span>
        <SegmentedControl
          size="xs"
          flex="none"
          ml="auto"
          aria-label={`${name} is`}
          value={filling.isConstant ? 'constant' : 'parameter'}
          data={choices}
          onChange={choice => onFill(name, { ...filling, isConstant: choice === 'constant' })}
        />
      </div>
      {description !== undefined && (
        <p className={`sm t2 ${classes.about}`} id={descriptionId} title={description}>
          {description}
        </p>
      )}
      {filling.isConstant && (
        <>
          <TextInput
            size="xs"
            aria-label={`Value of ${name}`}
            aria-describedby={description === undefined ? undefined : descriptionId}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            placeholder="Without a value, it stays a parameter"
            value={filling.value}
            error={fillingProblem(filling)}
            onChange={event => set(event.currentTarget.value)}
          />
          <Suggestions placeholder={placeholder} onTake={set} />
        </>
      )}
    </fieldset>
  )
})

/** Offers the values that the document names. */
function Suggestions(props: {
  readonly placeholder: PlaceholderInPaths
  readonly onTake: (value: string) => void
}) {
  const { placeholder, onTake } = props
  const { example, enum: values } = placeholder
  const offered = values ?? [...new Set([example, placeholder.default])].filter(value => value !== undefined)
  if (offered.length === 0) return null
  return (
    <p className={`sm t2 ${classes.suggestions}`}>
      {values !== undefined ? 'One of: ' : 'In the document: '}
      {offered.map(value => (
        <button
          key={value}
          type="button"
          className={classes.suggestion}
          title={`Use ${value}`}
          onClick={() => onTake(value)}
        >
          {value}
        </button>
      ))}
    </p>
  )
}
