import { z } from 'zod'
import type { Issue } from './model/issue.ts'
import { AnyKey } from './model/json-value.ts'
import { nearestName } from './nearest-name.ts'

/** An input can have any number of unknown fields. */
const maxIssues = 50
/** Characters of a field's name that an issue shows. */
const maxNameLength = 100
/** Far below what any schema accepts. Deeper input would exhaust the stack here before a recursive schema refuses it. */
const maxPathLength = 100

/**
 * Returns an issue for each field of an input that is not in its schema, at any depth that a schema accepts. Each names the most similar known
 * field. Maps with free keys, such as headers or arguments, accept any key that their schema accepts, except for
 * `__proto__` where it would be lost; their values are checked too.
 *
 * @param schema of the whole input; undefined if it accepts no field.
 * @param readOnly fields of the resource that an input cannot change.
 */
export function unknownFields(schema: unknown, input: unknown, readOnly: readonly string[] = []): Issue[] {
  const issues: Issue[] = []
  collect(schema instanceof z.ZodType ? schema : z.object({}), input, [], issues)
  return issues.map(issue =>
    readOnly.includes(issue.path) ? { ...issue, message: `\`${issue.path}\` cannot be changed.` } : issue,
  )
}

type Path = readonly (string | number)[]

function collect(schema: z.core.$ZodType, value: unknown, path: Path, issues: Issue[]): void {
  if (typeof value !== 'object' || value === null || path.length > maxPathLength) return
  const inner = wrapped(schema)
  if (inner !== null) collect(inner, value, path, issues)
  else if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return
    for (const [index, item] of value.entries()) {
      if (issues.length >= maxIssues) return
      collect(schema.element, item, [...path, index], issues)
    }
  } else if (schema instanceof z.ZodRecord && !Array.isArray(value)) {
    for (const [name, field] of Object.entries(value)) {
      if (issues.length >= maxIssues) return
      // Zod drops this key without checking it.
      if (name === '__proto__' && schema.keyType !== AnyKey) {
        const { error } = z.safeParse(schema.keyType, name)
        const message = error?.issues[0]?.message ?? 'A field cannot be named __proto__ here.'
        issues.push({ path: [...path, name].join('.'), message })
      }
      collect(schema.valueType, field, [...path, name], issues)
    }
  } else if (schema instanceof z.ZodDiscriminatedUnion) {
    // Only the chosen alternative: each might hold steps in turn, and trying all would take exponential time.
    const { discriminator } = schema.def
    const chosen = Reflect.get(value, discriminator)
    const option = schema.options.find(
      one => one instanceof z.ZodObject && z.safeParse(one.shape[discriminator], chosen).success,
    )
    if (option !== undefined) collect(option, value, path, issues)
  } else if (schema instanceof z.ZodUnion) {
    // For a union, reports the unknown fields of the best matching alternative.
    const ofEach = schema.options.map(option => {
      const found: Issue[] = []
      collect(option, value, path, found)
      return found
    })
    const [fewest = []] = ofEach.sort((first, second) => first.length - second.length)
    issues.push(...fewest)
  } else if (schema instanceof z.ZodObject && !Array.isArray(value)) {
    for (const [name, field] of Object.entries(value)) {
      if (issues.length >= maxIssues) return
      const known = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
      if (known !== undefined) collect(known, field, [...path, name], issues)
      else if (schema.def.catchall === undefined) issues.push(issueOf(path, name, Object.keys(schema.shape)))
    }
  }
}

/** Returns the schema inside one that only adds to it: an optional one, one with a default, a recursive one, one that transforms. */
function wrapped(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  // Not `unwrap`, which creates the schema again for each value.
  if (schema instanceof z.ZodLazy) return schema._zod.innerType
  return isWrapper ? schema.unwrap() : null
}

function issueOf(path: Path, name: string, known: readonly string[]): Issue {
  const shown = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  const nearest = nearestName(name, known)
  return {
    path: [...path, shown].join('.'),
    message: `There is no field \`${shown}\` here.${nearest === null ? '' : ` Did you mean \`${nearest}\`?`}`,
  }
}
