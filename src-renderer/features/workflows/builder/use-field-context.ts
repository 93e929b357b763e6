import { useMemo } from 'react'
import { mask } from '#shared/model/environment.ts'
import { parsePath, pathText } from '#shared/model/variable-path.ts'
import {
  environmentNameIn,
  isOfService,
  mayBeEnvironment,
  resolve,
  type Scope,
} from '#shared/workflows/scope.ts'
import { kindOf, type Step } from '#shared/workflows/steps/kinds.ts'
import { type ActionsOf, calledConnections } from '../../../entities/action/use-actions.ts'
import { isSamePath, type Path, pathKey, placedSteps } from '../../../entities/workflow/step-paths.ts'
import type { FieldContext } from '../../../entities/workflow/steps/step-view.ts'
import { around, choicesAt, type Payload, scopeAt } from './sample.ts'

type Parts = {
  readonly steps: readonly Step[]
  /** The fields of the chosen event; null if its data is not valid. */
  readonly payload: Payload | null
  /** The fields that any event of the trigger has. */
  readonly known: Payload | null
  /** Outputs of the last test run. */
  readonly outputs: ReadonlyMap<string, unknown>
  /** The names of the environment variables that are set. */
  readonly environment: ReadonlySet<string>
  readonly actionsOf: ActionsOf
  /** Headers that the key of the trigger can use. */
  readonly idHeaders: readonly string[]
}

/** Returns a function that returns what the fields of a step offer: one object until the parts change. */
export function useFieldContext({
  steps,
  payload,
  known,
  outputs,
  environment,
  actionsOf,
  idHeaders,
}: Parts) {
  // An editor is configured again for each new context, so it must not be new for each render.
  const actions = JSON.stringify(calledConnections(steps).map(id => actionsOf(id) !== null))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `actionsOf` changes with each update of the statistics; `actions` tells when its answers change
  return useMemo(() => {
    const made = new Map<string, FieldContext>()
    return (path: Path): FieldContext => {
      const before = made.get(pathKey(path))
      const context = before ?? contextOf(path)
      made.set(pathKey(path), context)
      return context
    }
    function contextOf(path: Path): FieldContext {
      const at = around(steps, path)
      const step = placedSteps(steps).find(one => isSamePath(one.path, path))?.step
      const takesSecrets = step !== undefined && kindOf(step).takesSecrets
      const secret = (name: string) => (environment.has(name) ? mask : undefined)
      const scope: Scope = {
        ...scopeAt(at, payload ?? {}, outputs),
        environment: secret,
        ...(takesSecrets && { usesEnvironment: true }),
      }
      const isTrigger = path[0] === 'trigger'
      const choices = choicesAt(at, known, scope, step => kindOf(step).outputNames(step, actionsOf)).filter(
        // A key is made before the run.
        choice => !(isTrigger && isOfService(choice.path)),
      )
      const headers = isTrigger ? idHeaders.map(name => pathText(['headers', name])) : []
      const names = [...headers, ...choices.map(choice => choice.path)]
      const secrets = takesSecrets ? [...environment].map(name => `$env.${name}`) : []
      const offered = new Set(names)
      const details = new Map([
        ...headers.map(name => [name, 'the id of the message'] as const),
        ...choices.map(choice => [choice.path, choice.detail] as const),
        ...secrets.map(name => [name, 'environment variable'] as const),
      ])
      const isKnown = (name: string) =>
        payload === null ||
        offered.has(name) ||
        environment.has(environmentNameIn(name) ?? '') ||
        resolve(name, scope) !== undefined ||
        (isTrigger && parsePath(name)?.[0] === 'headers')
      const variables = [...environment].filter(mayBeEnvironment)
      return {
        scope: payload === null ? null : scope,
        names: [...names, ...secrets],
        paths: { details, isKnown },
        headers: {
          names: [...new Set([...variables, ...names])],
          paths: {
            details: new Map([...details, ...variables.map(name => [name, 'environment variable'] as const)]),
            isKnown: name => variables.includes(name) || isKnown(name),
          },
        },
      }
    }
  }, [steps, payload, known, outputs, environment, actions, idHeaders])
}
