import { Radio, TextInput } from '@mantine/core'
import { memo, useId } from 'react'
import type { PlaceholderInPaths } from '#shared/model/import-operation.ts'
import { focusOnMount } from '../../ui/focus.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Pill } from '../../ui/pill.tsx'
import { type Filling, fillingProblem } from './operations.ts'
import classes from './placeholders-step.module.css'

/** Chooses between a constant for a placeholder and leaving its operations out. */
export const PlaceholderField = memo(function PlaceholderField(props: {
  readonly placeholder: PlaceholderInPaths
  readonly filling: Filling
  readonly onFill: (name: string, filling: Filling) => void
  /** Takes the focus when the step opens. */
  readonly isFirst: boolean
}) {
  const { placeholder, filling, onFill, isFirst } = props
  const { name, operations, description } = placeholder
  const descriptionId = useId()
  const problem = fillingProblem(filling)
  const isFilled = filling.isConstant && filling.value !== '' && problem === null
  const set = (value: string) => onFill(name, { isConstant: true, value })

  return (
    <fieldset className={classes.part}>
      <legend className="sr">{name}</legend>
      <div className={classes.name}>
        <code className="cut" title={name}>{`{${name}}`}</code>
        <span className="sm t3 num nowrap">{formatCount(operations, 'operation')}</span>
        <span className="push" />
        {isFilled ? <Pill tone="ok">Filled</Pill> : <Pill tone="mute">Out</Pill>}
      </div>
      {description !== undefined && (
        <p className={`sm t2 ${classes.about}`} id={descriptionId} title={description}>
          {description}
        </p>
      )}
      <Radio.Group
        aria-label={`Operations with ${name}`}
        value={filling.isConstant ? 'constant' : 'out'}
        onChange={choice => onFill(name, { ...filling, isConstant: choice === 'constant' })}
        className={classes.choices}
      >
        <Radio
          size="xs"
          classNames={{ label: classes.choice ?? '' }}
          value="constant"
          label={operations === 1 ? 'Constant' : `Constant for all ${formatNumber(operations)}`}
        />
        <div className={classes.value}>
          <TextInput
            ref={isFirst ? focusOnMount : undefined}
            size="xs"
            w={220}
            aria-label={`Value of ${name}`}
            aria-describedby={description === undefined ? undefined : descriptionId}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={filling.value}
            error={problem}
            onChange={event => set(event.currentTarget.value)}
          />
        </div>
        <Suggestions placeholder={placeholder} onTake={set} />
        <Radio
          size="xs"
          classNames={{ label: classes.choice ?? '' }}
          value="out"
          label={operations === 1 ? 'Leave this operation out' : 'Leave these operations out'}
        />
      </Radio.Group>
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
    <p className={`sm t2 ${classes.value}`}>
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
