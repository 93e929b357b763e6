import type { PlaceholderHints } from '../operation.ts'
import { hideSecrets } from '../problem.ts'
import type { ConversionParts, Operation } from './convert-operation.ts'
import { field, textField } from './json-value.ts'
import { declaredParameters, examplesOf, pathParameter } from './parameters.ts'
import { cut } from './texts.ts'

const maxDescription = 300
const maxValue = 200
const maxValues = 20
/** Parameters of all operations that are read. */
const maxParameters = 200_000

/** Collects what the operations say about the values of their placeholders: the first declaration of each. */
export function createHintReader({ resolve, schemas }: Pick<ConversionParts, 'resolve' | 'schemas'>) {
  const known = new Map<string, PlaceholderHints>()
  let parameters = 0
  return {
    known,
    read({ item, operation }: Operation, placeholders: readonly string[]): void {
      const unknown = placeholders.filter(name => !known.has(name))
      if (unknown.length === 0 || parameters > maxParameters) return
      const { declared } = declaredParameters(item, operation, resolve)
      parameters += declared.size
      for (const name of unknown) {
        const found = declared.get(pathParameter(name))
        if (found !== undefined) known.set(name, hintsIn(found.value))
      }
    },
  }

  function hintsIn(parameter: unknown): PlaceholderHints {
    const { values, keywords, description } = schemas.flatten(field(parameter, 'schema'))
    const others = keywords.get('examples')
    const [example] = textsOf([
      ...examplesOf(parameter),
      keywords.get('example'),
      ...(Array.isArray(others) ? others.slice(0, 1) : []),
    ])
    const [usual] = textsOf([keywords.get('default')])
    const choices = textsOf(values.slice(0, maxValues))
    const text = textField(parameter, 'description') ?? description
    return {
      ...(example !== undefined && { example }),
      ...(usual !== undefined && { default: usual }),
      ...(choices.length > 0 && { enum: choices }),
      ...(text !== null && { description: hideSecrets(cut(text, maxDescription)) }),
    }
  }
}

/** Returns the values that can be part of a path. */
function textsOf(values: readonly unknown[]): string[] {
  return values
    .filter(value => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .map(value => hideSecrets(cut(String(value), maxValue)))
}
