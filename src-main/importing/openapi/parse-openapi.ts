import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { type JsonPath, type Locate, locateInJson } from '#shared/json/locate.ts'
import type { Constants } from '#shared/model/placeholders.ts'
import { type Parsed, parseDocument, readJson, sizeProblem, unusable } from '../parse.ts'
import { type Problem, warning } from '../problem.ts'
import type { SignInFor } from '../sign-in.ts'
import { type Converted, convertOpenApi } from './convert-openapi.ts'
import { readYaml } from './read-yaml.ts'

type Source = { readonly value: unknown; readonly locate: Locate; readonly problems: readonly Problem[] }

/**
 * Parses an OpenAPI 3 or Swagger 2.0 document in JSON or YAML: converts it to an import document and checks that.
 * Positions refer to the text. Never throws. Pure.
 *
 * @param constants replace placeholders of paths.
 * @param documentUrl the address of the document; null if it is unknown.
 * @param wanted keys of servers that the import asks for.
 */
export function parseOpenApi(
  text: string,
  constants: Constants,
  documentUrl: string | null,
  signIn: SignInFor,
  wanted: ReadonlySet<string>,
): Parsed {
  return parseApi(text, root => convertOpenApi(root, constants, documentUrl, signIn, wanted))
}

/** Parses a description of an API in JSON or YAML. @param convert its value. */
export function parseApi(
  text: string,
  convert: (root: unknown) => ReturnType<typeof convertOpenApi>,
): Parsed {
  const size = sizeProblem(text)
  if (size !== null) return unusable(text, size)
  const source = readSource(text)
  if ('failed' in source) return source.failed
  const converted = convert(source.value)
  if ('refused' in converted) {
    const [offset = 0] = source.locate([converted.refused])
    return unusable(text, { message: converted.refused.message, offset })
  }
  const { document, recognized, leftOut, problems } = converted
  const { operations, eventTags, moreLeftOut, placeholderHints, auth, servers } = converted
  const generated = parseDocument(JSON.stringify(document))
  // Locates these now, because their paths belong to the text.
  const own = [...source.problems, ...problems]
  const offsets = source.locate([
    ...own,
    ...leftOut.map(({ path }) => ({ path, atKey: true })),
    ...servers.map(({ at }) => ({ path: at })),
  ])
  const offsetsOfServers = offsets.slice(own.length + leftOut.length)
  return {
    text,
    operations,
    eventTags,
    moreLeftOut,
    placeholderHints,
    auth,
    servers: servers.map(({ at: _at, ...server }, index) => ({
      ...server,
      offset: offsetsOfServers[index] ?? 0,
    })),
    recognized: generated.content === null ? null : recognized,
    content: generated.content,
    problems: [
      ...own.map((one, index) => ({ ...one, offset: one.offset ?? offsets[index] ?? 0 })),
      ...generated.problems,
    ],
    omissions: leftOut.map(({ name, part, reason, toolName, operation }, index) => ({
      name,
      ...(part !== undefined && { part }),
      reason,
      ...(toolName !== undefined && { toolName }),
      ...(operation !== undefined && { operation }),
      offset: offsets[own.length + index] ?? 0,
    })),
    locate: wanted =>
      source.locate(wanted.map(({ path }) => ({ path: originOf(path, converted), atKey: true }))),
  }
}

function readSource(text: string): Source | { failed: Parsed } {
  if (/^\s*[{[]/.test(text)) {
    const read = readJson(text)
    if ('failed' in read) return read
    // Secrets and long numbers in examples do not matter, because hints leave them out.
    const problems = read.problems.filter(({ severity, atKey }) => severity === 'warning' && atKey === true)
    return { value: read.value, locate: locateInJson(text), problems }
  }
  const read = readYaml(text)
  if ('errors' in read) return { failed: unusable(text, ...read.errors) }
  return { ...read, problems: read.problems.map(atOffset) }
}

function atOffset({ message, offset }: SyntaxProblem): Problem {
  return { ...warning([], message), offset }
}

/** Returns the path in the text from which a part of the import document comes. */
function originOf([part, index, ...rest]: JsonPath, converted: Converted): JsonPath {
  const { origins, titleAt, servers } = converted
  if ((part === 'actions' || part === 'events') && typeof index === 'number')
    return origins[part][index] ?? []
  if (part === 'connection') return index === 'baseUrl' ? (servers[0]?.at ?? []) : titleAt
  return rest
}
