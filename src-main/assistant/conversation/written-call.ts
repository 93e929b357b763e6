import { isNestedDeeper } from '#main/json/json-depth.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'

/** How models mark a call that their server has not recognized as one, each with the beginning of the call itself. */
const marks = [
  // Qwen, Hermes, GLM, Gemma, MiniMax, DeepSeek
  /<(?:\|?tool_call\|?|function_call|minimax:tool_call|tools?)>\s*(?:[[{<]|\w+[\n:<({])/i,
  /<(?:function|invoke)(?:=| name=)["\w]/i,
  /<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?begin[|｜]>/i,
  // Llama
  /<\|python_tag\|>\s*[\w{[]/,
  // Mistral
  /\[TOOL_CALLS\]\s*[\w{[]/,
  // Phi
  /\bfunctools\[\s*\{/,
  // gpt-oss
  /<\|channel\|>commentary to=/,
]

const maxJson = 64 * 1024
const maxDepth = 100

/**
 * Returns whether a model has written a call of a tool as text. Such a call is not made: whether a text is a call is
 * decided by the model server, which knows the form that its model uses.
 *
 * @param names of the tools that it can call.
 */
export function writesCall(text: string, names: readonly string[]): boolean {
  const { outside, blocks } = withoutCode(text)
  if (marks.some(mark => mark.test(outside))) return true
  const known = new Set(names.flatMap(name => [name, name.replace(/^.*?__/, '')]))
  return [outside, ...blocks].some(part => isCall(part.trim(), known))
}

/** Returns a text without its code, and its blocks of code. */
function withoutCode(text: string): { outside: string; blocks: string[] } {
  const outside: string[] = []
  const blocks: string[] = []
  let block: string[] = []
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && mark === '') outside.push(line)
    else if (fence === '') fence = mark
    else if (!mark.startsWith(fence)) block.push(line)
    else {
      blocks.push(block.join('\n'))
      block = []
      fence = ''
    }
  }
  if (fence !== '') blocks.push(block.join('\n'))
  return { outside: outside.join('\n').replace(/`[^`\n]*`/g, ''), blocks }
}

function isCall(text: string, names: ReadonlySet<string>): boolean {
  const python = /^\[?\s*(\w+)\s*\(/.exec(text)?.[1]
  if (python !== undefined) return names.has(python) && /\)\s*\]?$/.test(text)
  if (!/^[[{]/.test(text) || text.length > maxJson || isNestedDeeper(text, maxDepth)) return false
  const value = tryParseExact(text)
  return (Array.isArray(value) ? value : [value]).some(one => {
    const call = isObject(one) && isObject(one.function) ? one.function : one
    if (!isObject(call)) return false
    const name = call.name ?? call.tool ?? call.tool_name ?? call.function
    const given = call.arguments ?? call.parameters ?? call.args
    return typeof name === 'string' && names.has(name) && (isObject(given) || typeof given === 'string')
  })
}
