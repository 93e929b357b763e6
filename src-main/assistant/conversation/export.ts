import type {
  Conversation,
  ExportFormat,
  FormPart,
  MessagePart,
  SearchPart,
  ToolCallPart,
} from '#shared/model/conversation.ts'
import { placeLabel } from '#shared/platform/place-labels.ts'

export type Exported = { readonly fileName: string; readonly text: string }

/** Returns a conversation as one text to keep. Everything in it is masked already. */
export function exportConversation(conversation: Conversation, format: ExportFormat): Exported {
  const { title, createdAt } = conversation
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const name = `${createdAt.slice(0, 10)}-${(words ?? ['conversation']).join('-').slice(0, 60)}`
  if (format === 'json')
    return { fileName: `${name}.json`, text: `${JSON.stringify(conversation, null, 2)}\n` }
  return { fileName: `${name}.md`, text: markdownOf(conversation) }
}

function markdownOf({ title, createdAt, messages }: Conversation): string {
  const blocks = [`# ${title === '' ? 'Untitled' : title}`, `Started ${createdAt}`]
  for (const { role, at, parts, ended, error } of messages) {
    blocks.push(`## ${role === 'user' ? 'You' : 'Assistant'}, ${at}`)
    for (const part of parts) blocks.push(blockOf(part))
    if (ended === 'stopped') blocks.push('*Stopped.*')
    if (error !== null)
      blocks.push(`*${ended === 'cut' ? 'Cut' : 'Failed'} (${error.code}): ${error.message}*`)
  }
  return `${blocks.join('\n\n')}\n`
}

function blockOf(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `**Reasoning**\n\n${fenced(part.text)}`
    case 'call':
      return callBlock(part)
    case 'search':
      return searchBlock(part)
    case 'form':
      return formBlock(part)
  }
}

function searchBlock({ query, state, passages, error }: SearchPart): string {
  const head = `**Search of the knowledge** (${state})\n\n${fenced(query)}`
  const found = passages.map(
    ({ fileName, place, text }) => `${fileName}, ${placeLabel(place)}\n\n${fenced(text)}`,
  )
  return [head, ...(error === null ? [] : [error.message]), ...found].join('\n\n')
}

function formBlock({ action, state, status, values, resultText, error }: FormPart): string {
  const facts = [`**Form \`${action}\`** (${status ?? state})`]
  if (values !== null) facts.push(fenced(JSON.stringify(values, null, 2)))
  if (resultText !== null) facts.push(fenced(resultText))
  else if (error !== null) facts.push(error.message)
  return facts.join('\n\n')
}

function callBlock(call: ToolCallPart): string {
  const { method, name, state, status, totalMs, arguments: given, resultText, error } = call
  const took = totalMs === null ? '' : `, ${Math.round(totalMs)} ms`
  const outcome = status === null ? state.replace('_', ' ') : `${status}${took}`
  const facts = [`**${method ?? 'Call'} \`${name}\`** (${outcome})`, fenced(JSON.stringify(given, null, 2))]
  if (resultText !== null) facts.push(fenced(resultText))
  else if (error !== null) facts.push(error.message)
  return facts.join('\n\n')
}

/** Returns a code block whose fence is longer than every run of backticks in the text. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
