import { sha256Hex } from '#main/lib/sha256-hex.ts'
import type { SyntaxProblem } from '#shared/json/diagnose-json.ts'
import { pathProblems, withOneSlash } from '#shared/model/action-path.ts'
import { takesQuery } from '#shared/model/action-url.ts'
import { operationName } from '#shared/model/import-operation.ts'
import { Method } from '#shared/model/method.ts'
import { type Constants, openPath, placeholdersIn } from '#shared/model/placeholders.ts'
import { deriveToolName } from '#shared/model/tool-name.ts'
import { argumentOf } from '../openapi/parameters.ts'
import { mergeHeaders, variablePrefix } from '../openapi/texts.ts'
import { type Parsed, parseDocument, sizeProblem, unusable } from '../parse.ts'
import { type Problem, warning } from '../problem.ts'
import { type CurlNote, convertHeaders, looksRandom } from './headers.ts'
import { convertInputs } from './inputs.ts'
import { withLineFeeds } from './line-ends.ts'
import { findInName } from './odd-characters.ts'
import { readCommand } from './read-command.ts'
import { type CurlRequest, readRequest, schemeOf } from './read-request.ts'
import { type CurlWord, offsetIn, restOf } from './words.ts'

/**
 * Parses a curl command in Bash syntax as an import of one action: converts it to an import document and checks that.
 * Replaces credentials by environment variables, and does not store them. Never throws, executes nothing, reads no
 * files. Pure.
 *
 * @param baseUrl of the target connection; null for a new one, or one without.
 * @param constants replace placeholders of the path.
 */
export function parseCurl(given: string, baseUrl: string | null, constants: Constants): Parsed {
  const size = sizeProblem(given)
  if (size !== null) return unusable(given, size)
  const text = withLineFeeds(given)
  const command = readCommand(text)
  if ('errors' in command) return unusable(text, ...command.errors)
  const request = readRequest(command.words)
  if (request.errors.length > 0) return unusable(text, ...request.errors)
  const url = readUrl(request.url)
  if ('message' in url) return unusable(text, url)
  const method = readMethod(request)
  if ('message' in method) return unusable(text, method)

  const prefix = variablePrefix(url.url.hostname)
  const credentials = url.user === null ? {} : { user: url.user }
  const headers = convertHeaders({ ...request, ...credentials }, prefix, url.url.host)
  const place = placeOf(url.url, baseUrl)
  const template = url.hasPlaceholders ? withPlaceholders(place.path) : place.path
  const { path: pathname, open } = openPath(template, constants, argumentOf)
  const inputs = convertInputs(request, method.name, url.url.search.slice(1), url.offset, {
    placeholders: open,
    headers: headers.open,
  })
  const lost = [...request.lost, ...headers.lost].map(({ reason, ...part }) => ({
    ...part,
    reason: `${reason.replace(/\.$/, '')}; the action is imported disabled`,
  }))
  const query = inputs.query === '' ? '' : `?${inputs.query}`
  const path = pathname + query
  const [pathProblem] = pathProblems(path)
  if (pathProblem !== undefined) return unusable(text, { message: pathProblem, offset: url.offset })

  const title = `${method.name} ${pathname}`.slice(0, 120)
  const sent = mergeHeaders(
    inputs.contentType === null ? {} : { 'Content-Type': inputs.contentType },
    headers.headers,
  )
  const action = {
    name: title,
    description: `Calls ${method.name} ${pathname}.`,
    method: method.name,
    path,
    headers: Object.keys(sent).length === 0 ? null : sent,
    parameters: inputs.parameters,
    ...(!inputs.sendsBody && !takesQuery(method.name) && { sendsBody: false }),
    isEnabled: !inputs.isLost && lost.length === 0,
  }
  // Constants do not change it.
  const toolName = deriveToolName(`${method.name} ${template}`.slice(0, 120), sha256Hex)
  const connection = { name: url.url.host.slice(0, 120), baseUrl: place.baseUrl }
  const actions = [{ ...action, toolName }]
  const document = place.isWithinTarget ? { actions } : { connection, actions }
  const generated = parseDocument(JSON.stringify(document))
  const notes = [...command.notes, ...request.notes, ...headers.notes].map(atOffset)
  if (place.path.split('/').some(segment => looksRandom(segment)))
    notes.push(
      atOffset({
        message: 'The path seems to contain a credential. It is imported unchanged.',
        offset: url.offset,
      }),
    )
  const advice =
    'The name and description come from the URL. Change them to tell the assistant when and how to use the tool.'
  const operation = operationName(method.name, template + query)
  return {
    text,
    operations: [
      {
        ...{ name: operation, tags: [], placeholders: placeholdersIn(template), action: 0, leftOut: null },
      },
    ],
    recognized: {
      format: 'curl',
      version: null,
      title,
      documentVersion: null,
      operations: 1,
      webhooks: 0,
      baseUrl: place.baseUrl,
      signIn: [],
    },
    content: generated.content,
    problems: [
      ...generated.problems.map(one => ({ ...one, offset: url.offset })),
      ...notes,
      atOffset({ message: advice, offset: url.offset }),
    ],
    omissions: [...lost, ...headers.omissions, ...inputs.omissions].map(one => ({ ...one, toolName })),
    locate: wanted => wanted.map(() => url.offset),
  }
}

function atOffset({ message, ...rest }: CurlNote): Problem {
  return { ...warning([], message), ...rest }
}

/** A placeholder as people write it in a command. Others, such as {a,b}, are patterns of curl. */
const plainPlaceholder = /\{[A-Za-z_][\w-]*\}|<[A-Za-z_][\w-]*>/g

/** Returns a path as it was before a URL encoded its placeholders. */
function withPlaceholders(path: string): string {
  return path.replace(/%7B([A-Za-z_][\w-]*)%7D/g, '{$1}').replace(/%3C([A-Za-z_][\w-]*)%3E/g, '<$1>')
}

type ReadUrl = {
  readonly url: URL
  readonly user: CurlWord | null
  readonly offset: number
  readonly hasPlaceholders: boolean
}

function readUrl(word: CurlWord | null): ReadUrl | SyntaxProblem {
  if (word === null) return { message: 'The command has no URL.', offset: 0 }
  const { offset } = word
  const refuse = (message: string) => ({ message, offset })
  const scheme = schemeOf(word.text)
  // Only a variable is imported of the credentials, so they may be anything.
  const user = userOf(word.text.slice(scheme.length))
  const filledUser = userOf(word.filled.slice(scheme.length))
  const rest = restOf(word, scheme.length + user.length, scheme.length + filledUser.length)
  const { text } = rest
  if (text !== rest.filled || (word.otherExpansion !== null && text.includes(word.otherExpansion)))
    return refuse('The shell fills in a part of the URL, but the path of an action is fixed. Write it out.')
  const [host = ''] = /^[^/?#]*/.exec(text) ?? []
  const [pathname = ''] = text.slice(host.length).split('?')
  if (/[{}<>]/.test(host)) return refuse('The host of the URL has a placeholder. Write it out.')
  const otherPath = pathname.replace(plainPlaceholder, '')
  if (/[{}[\]<>]/.test(otherPath))
    return refuse('The URL has a placeholder or a pattern, but the path of an action is fixed. Write it out.')
  const [odd] = findInName(host)
  if (odd !== undefined) return { message: odd.message, offset: offsetIn(rest, odd.offset) }
  // Like curl, uses http if there is no scheme.
  const whole = (scheme === '' ? 'http://' : scheme) + text
  if (!URL.canParse(whole)) return refuse('This is not a URL.')
  const url = new URL(whole)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse('Actions support only http and https URLs.')
  return { url, user: user === '' ? null : word, offset, hasPlaceholders: otherPath !== pathname }
}

/** Returns the user and password at the start of an address, with their @. */
function userOf(address: string): string {
  return /^[^/?#]*@/.exec(address)?.[0] ?? ''
}

function readMethod(request: CurlRequest): { readonly name: Method } | SyntaxProblem {
  const isSending = (request.data.length > 0 && !request.isGet) || request.uploads.length > 0
  const upload = request.uploads.some(({ option }) => option === 'upload-file')
  const usual = request.isHead ? 'HEAD' : upload ? 'PUT' : isSending ? 'POST' : 'GET'
  const name = request.method?.name ?? usual
  const method = Method.safeParse(name)
  if (method.success) return { name: method.data }
  const message = `Actions do not support the method ${name.slice(0, 20)}, only ${Method.options.join(', ')}.`
  return { message, offset: request.method?.offset ?? request.url?.offset ?? 0 }
}

/** Splits a URL into base URL and path. Uses the target's base URL if the URL is below it. */
function placeOf(url: URL, target: string | null) {
  const address = url.origin + url.pathname
  if (target !== null && (address === target || address.startsWith(`${target}/`)))
    return { baseUrl: target, path: withOneSlash(address.slice(target.length) || '/'), isWithinTarget: true }
  return { baseUrl: url.origin, path: withOneSlash(url.pathname), isWithinTarget: false }
}
