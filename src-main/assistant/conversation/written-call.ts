import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import { isNestedDeeper } from '#shared/json/json-depth.ts'

/** How models mark a call that their server has not recognized as one, each with the beginning of the call itself. */
const marks = [
  // Qwen, Hermes, GLM, Gemma, MiniMax, DeepSeek
  /<(?:\|?tool_call\|?|function_call|minimax:tool_call|tools?|tool_use|use_tool)>\s*(?:[[{<]|\w+[\n:<({])/i,
  /<(?:function|invoke|tool)(?:=| name=)["\w]/i,
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

/** Forms that have nothing but the name of a tool to tell them from other text. */
const named = [
  // Cline: <look_up_order><id>1</id></look_up_order>
  /<(\w+)>/g,
  // ReAct
  /^[ \t]*action[ \t]*:[ \t]*(\w+)[ \t]*\r?\n[ \t]*action[ _]input[ \t]*:/gim,
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
  const whole = new Set(names)
  const namesTool = ([, name = '']: RegExpExecArray) => whole.has(name)
  if (named.some(form => Array.from(outside.matchAll(form)).some(namesTool))) return true
  const known = new Set(names.flatMap(name => [name, name.replace(/^.*?__/, '')]))
  if ([outside, ...blocks].some(part => isCall(part.trim(), known))) return true
  const json = outside.search(/^[ \t]*[[{]/m)
  return json > 0 && isCall(outside.slice(json).trim(), whole)
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
  const python = /^\[?\s*(?:print\(\s*)?(?:default_api\.)?(\w+)\s*\(/.exec(text)?.[1]
  if (python !== undefined) return names.has(python) && /\)\s*\]?$/.test(text)
  if (!/^[[{]/.test(text) || text.length > maxJson || isNestedDeeper(text, maxDepth)) return false
  const parsed = tryParseExact(text)
  const value = isObject(parsed) && Array.isArray(parsed.tool_calls) ? parsed.tool_calls : parsed
  return (Array.isArray(value) ? value : [value]).some(one => {
    if (!isObject(one)) return false
    const call = [one.function, one.function_call, one.tool_call].find(isObject) ?? one
    const name = call.name ?? call.tool ?? call.tool_name ?? call.function ?? call.action
    const given = call.arguments ?? call.parameters ?? call.args ?? call.action_input
    return typeof name === 'string' && names.has(name) && (isObject(given) || typeof given === 'string')
  })
}
