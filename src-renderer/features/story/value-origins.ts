import { pathText } from '#shared/model/variable-path.ts'
import { calledKeyIn, environmentNameIn, isOfService } from '#shared/workflows/scope.ts'
import { kindOf, type Step } from '#shared/workflows/steps/kinds.ts'
import { stepsOf, variablesIn } from '#shared/workflows/templates.ts'

/** An argument or another field of a step, the template that it has, and where its variables come from. */
export type ValueOrigin = { readonly name: string; readonly template: string; readonly from: string }

/** Returns where the values of a step come from: one entry for each of its texts that has a variable. */
export function valueOrigins(step: Step, isInLoop: boolean): readonly ValueOrigin[] {
  return kindOf(step)
    .texts(step)
    .flatMap(({ text, path }) => {
      const origins = new Set(variablesIn(text).map(variable => originOf(variable.path, isInLoop)))
      const name = pathText((path[0] === 'arguments' ? path.slice(1) : path).map(String))
      return origins.size === 0 ? [] : [{ name, template: text, from: [...origins].join(', ') }]
    })
}

function originOf(variable: string, isInLoop: boolean): string {
  if (isOfService(variable)) {
    const key = calledKeyIn(variable)
    if (key !== null) return `call of ${key}`
    return environmentNameIn(variable) === null ? 'service' : 'environment'
  }
  const [root = '', second = ''] = stepsOf(variable)
  if (root === 'steps') return `output of ${second}`
  if (isInLoop && (root === 'item' || root === 'index')) return `${root} of the loop`
  return 'event'
}
