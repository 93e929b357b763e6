import { describe, expect, test } from 'vitest'
import { writesCall } from '#main/assistant/conversation/written-call.ts'

const name = 'shop_V1St__look_up_order'
const names = [name, 'shop_V1St__create_refund']
const json = `{"name": "${name}", "arguments": {"order_id": "1"}}`

describe('a call that a model has written as text is recognized', () => {
  test.each<[of: string, text: string]>([
    ['Hermes and Qwen', `I look.\n<tool_call>\n${json}\n</tool_call>`],
    [
      'Qwen Coder',
      `<tool_call>\n<function=${name}>\n<parameter=order_id>\n1\n</parameter>\n</function>\n</tool_call>`,
    ],
    [
      'Qwen Coder without the outer tag',
      `<function=${name}>\n<parameter=order_id>1</parameter>\n</function>`,
    ],
    ['an older Llama', `<function=${name}>{"order_id": "1"}</function>`],
    ['Llama', `<|python_tag|>{"name": "${name}", "parameters": {}}`],
    ['Llama without a tag', `{"name": "${name}", "parameters": {"order_id": "1"}}`],
    ['Llama in Python', `[${name}(order_id="1")]`],
    ['Mistral', `[TOOL_CALLS] [${json}]`],
    ['a newer Mistral', `[TOOL_CALLS]${name}[ARGS]{"order_id": "1"}`],
    ['Phi', `functools[${json}]`],
    ['GLM', `<tool_call>${name}\n<arg_key>order_id</arg_key>\n<arg_value>1</arg_value>\n</tool_call>`],
    ['DeepSeek', `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}`],
    ['Kimi', `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0`],
    ['MiniMax', `<minimax:tool_call>\n<invoke name="${name}">\n</invoke>\n</minimax:tool_call>`],
    ['gpt-oss', `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>{}`],
    ['Gemma', `<|tool_call>call:${name}{order_id:1}<tool_call|>`],
    ['a block of code', `I look it up:\n\n\`\`\`json\n${json}\n\`\`\`\n`],
    ['an array of OpenAI’s calls', `[{"type": "function", "function": ${json}}]`],
    ['arguments as text', `{"name": "${name}", "arguments": "{}"}`],
    ['JSON after a sentence', `I will look it up:\n${json}`],
    ['a list of calls', `{"tool_calls": [${json}]}`],
    ['a call in an object', `{"function_call": ${json}}`],
    ['an agent in JSON', `{"action": "${name}", "action_input": {"order_id": "1"}}`],
    ['ReAct', `Thought: I look it up.\nAction: ${name}\nAction Input: {"order_id": "1"}`],
    ['Cohere', `Action: \`\`\`json\n[{"tool_name": "${name}", "parameters": {"order_id": "1"}}]\n\`\`\``],
    ['Gemini', `\`\`\`tool_code\nprint(default_api.${name}(order_id="1"))\n\`\`\``],
    ['an element named like the tool', `<${name}>\n<order_id>1</order_id>\n</${name}>`],
    ['an element tool_use', `<tool_use>\n${json}\n</tool_use>`],
    ['an element tool with a name', `<tool name="${name}">{"order_id": "1"}</tool>`],
    ['the name of the action', '{"name": "look_up_order", "arguments": {}}'],
  ])('of %s', (_of, text) => expect(writesCall(text, names)).toBe(true))

  test.each<[of: string, text: string]>([
    ['an answer', 'The order costs 25 EUR.'],
    ['the name of a tag', 'The tag <tool_call> begins a call, and </tool_call> ends it.'],
    ['a tag in code', 'Write `<tool_call>{}` to call.'],
    ['a tag in a block of code', '```\n<tool_call>\n{"name": "x"}\n</tool_call>\n```'],
    ['JSON of something else', '{"name": "Ada", "arguments": {}}'],
    ['JSON with the name of a tool, but no arguments', `{"name": "${name}"}`],
    ['the name of a tool', `I used ${name}.`],
    ['a list of tools', `The tools are:\nTool: ${name}\nAction: look up an order`],
    ['an element in code', `Write \`<${name}>\`, not \`</${name}>\`.`],
    ['an element of something else', '<look_up>1</look_up>'],
    ['JSON of something else after a sentence', 'This is the order:\n{"name": "Ada", "arguments": {}}'],
    ['many lines', 'action: x\n'.repeat(20_000)],
    ['many empty lines', `action: x${'\n'.repeat(100_000)}`],
    ['many angle brackets', '<a '.repeat(50_000)],
    ['broken JSON', json.slice(0, -2)],
    ['JSON nested 100,000 deep', '['.repeat(50_000)],
    ['many fences', '```\n'.repeat(20_000)],
    ['many backticks', '`'.repeat(100_000)],
  ])('but not %s', (_of, text) => expect(writesCall(text, names)).toBe(false))
})
