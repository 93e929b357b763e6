import { useState } from 'react'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import { inputsOf, type Parameter } from '#shared/model/parameter.ts'
import { type ArgumentValues, valuesOf } from '../../../entities/action/argument-values.ts'
import { Problem } from '../../../ui/field-problem.tsx'
import { JsonEditor } from '../../../ui/json-editor.tsx'

/** All arguments as one JSON object. What cannot be an argument is named, and is not in `onChange`. */
export function ArgumentsJson(props: {
  readonly parameters: readonly Parameter[]
  readonly given: Readonly<Record<string, unknown>>
  readonly onChange: (values: ArgumentValues) => void
  /** Called with whether the text cannot be sent as it is. */
  readonly onBroken: (isBroken: boolean) => void
}) {
  const { parameters, given, onChange, onBroken } = props
  const [text, setText] = useState(() => JSON.stringify(given, null, 2))
  const problem = problemOf(parameters, text)
  return (
    <div>
      <JsonEditor
        label="Arguments as JSON"
        value={text}
        minLines={8}
        maxLines={24}
        foot={false}
        onChange={next => {
          setText(next)
          onBroken(problemOf(parameters, next) !== null)
          const read = parseJson(next)
          if (isObject(read)) onChange(valuesOf(parameters, objectOf(next)))
        }}
      />
      {problem !== null && <Problem message={problem} />}
    </div>
  )
}

/** Returns why a text cannot be sent as the arguments; null if it can be. */
export function problemOf(parameters: readonly Parameter[], text: string): string | null {
  if (!isObject(parseJson(text))) return 'The arguments are a JSON object: { … }.'
  const given = objectOf(text)
  const inputs = inputsOf(parameters)
  const values = valuesOf(parameters, given)
  for (const [name, value] of Object.entries(given)) {
    const parameter = inputs.find(one => one.name === name)
    if (parameter === undefined) return `The action has no parameter ${JSON.stringify(name)}.`
    const isLeftOut = value === null && !parameter.required
    if (!Object.hasOwn(values, name) && !isLeftOut) return `${name} has a value of another type.`
  }
  return null
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseExact(text)
  return isObject(value) ? value : {}
}
