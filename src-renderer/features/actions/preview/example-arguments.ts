import { inputsOf, type Parameter } from '#shared/model/parameter.ts'
import { exampleValue } from '../../../entities/action/example-value.ts'

/** The most parameters that have a value in an example. */
const maxExamples = 20

/** Returns a value for each of the first inputs. */
export function exampleArguments(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    inputsOf(parameters)
      .slice(0, maxExamples)
      .map(parameter => [parameter.name, exampleValue(parameter)]),
  )
}
