import { inputsOf, type Parameter } from '#shared/model/parameter.ts'
import { type ArgumentValues, valuesOf } from '../../entities/action/argument-values.ts'

type Asked = {
  readonly values: ArgumentValues
  /** Whether the arguments have the types of the parameters, so that they can be sent to the letter. */
  readonly fits: boolean
  /** Names that the tool does not have. */
  readonly unknown: readonly string[]
}

/**
 * Converts the arguments that a model asked for to entries of the form. One of the wrong type is shown as its text, so
 * that nothing that would be sent is hidden.
 */
export function askedValues(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Asked {
  const fitting = valuesOf(parameters, given)
  const names = new Set(inputsOf(parameters).map(({ name }) => name))
  const optional = new Set(parameters.filter(({ required }) => !required).map(({ name }) => name))
  // Null for an optional parameter means that it is not given.
  const isGiven = ([name, value]: readonly [string, unknown]) => value !== null || !optional.has(name)
  const others = Object.entries(given).filter(
    entry => names.has(entry[0]) && !Object.hasOwn(fitting, entry[0]) && isGiven(entry),
  )
  const texts = others.map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return {
    fits: others.length === 0 && Object.keys(given).every(name => names.has(name)),
    values: { ...fitting, ...Object.fromEntries(texts) },
    unknown: Object.keys(given).filter(name => !names.has(name)),
  }
}
