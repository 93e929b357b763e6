import { Parameter, type ParameterPlace } from '#shared/model/parameter.ts'
import { argumentName } from '../openapi/parameters.ts'
import type { Omission } from '../parse.ts'

/** A value of a command that calls give an argument for. */
export type NewParameter = Pick<Parameter, 'name' | 'type'> & {
  /** Left out where the method says it. */
  readonly in?: ParameterPlace
  readonly isList?: boolean
  readonly schema?: Parameter['schema']
}

export const maxParameters = 200

/** The parameters of a command's action, and the parts of the command that it cannot send. */
export class ParameterList {
  readonly parameters: Parameter[] = []
  readonly omissions: Omission[] = []
  /** Whether the request has a body, or a part of a query, that an action cannot send. */
  isLost = false
  readonly #names = new Set<string>()
  readonly #sent = new Set<string>()

  /** Adds a parameter that is required, because the command has it. Adds no second one of its name and place. */
  add({ name, type, in: place, isList = false, schema }: NewParameter, offset: number): void {
    const key = `${place} ${name}`
    if (this.#sent.has(key) || this.parameters.length >= maxParameters) return
    const argument = place === 'entireBody' ? name : argumentName(name, this.#names)
    const found = Parameter.safeParse({
      ...{ name: argument, type, description: `The value of ${name}.`, required: true },
      ...(place !== undefined && { in: place }),
      ...(argument !== name && { wireName: name }),
      ...(isList && { isList }),
      ...(schema !== undefined && { schema }),
    })
    if (!found.success) {
      this.lose(`parameter ${name.slice(0, maxShown)}`, 'its name has 1 to 255 characters', offset)
      return
    }
    this.#names.add(argument)
    this.#sent.add(key)
    this.parameters.push(found.data)
  }

  leaveOut(name: string, reason: string, offset: number): void {
    this.omissions.push({ name, reason, offset })
  }

  /** Leaves out a part without which calls mean something else. */
  lose(name: string, reason: string, offset: number): void {
    this.isLost = true
    this.leaveOut(name, `${reason}; the action is imported disabled`, offset)
  }
}

const maxShown = 80
