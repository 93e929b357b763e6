/**
 * A prompt for a coding agent that makes a system send its events. It holds no credential: the code reads them from the
 * environment variables CC_INBOUND_URL and CC_SIGNING_SECRET.
 *
 * @param eventNames the declared ones.
 */
export function agentPrompt(connectionName: string, eventNames: readonly string[]): string {
  const [first = 'order.paid'] = eventNames
  const names =
    eventNames.length === 0
      ? 'Name each event with a noun, a dot and a past-tense verb,\nsuch as order.paid.'
      : `Event names: ${eventNames.slice(0, mostNames).map(shownName).join(', ')}`
  return `# For a coding agent, such as Claude Code, Cursor or Codex
Send the events of this system to “${oneLine(connectionName)}”
as signed HTTP requests.

POST to the URL in CC_INBOUND_URL:
  {"event": ${JSON.stringify(first)}, "data": {"order_id": "ORD-1"}}
${names}

Sign each request:
  timestamp = milliseconds since 1970, as a decimal string
  message   = timestamp + "." + the exact bytes of the body
  signature = HMAC-SHA256 of message, as lowercase hex
The key is the whole text in CC_SIGNING_SECRET as UTF-8,
whsec_ included. Do not decode it.

Headers:
  Content-Type: application/json
  x-service-timestamp: timestamp
  x-service-signature: "sha256=" + signature

Serialize the body once and send those bytes. Make a new
timestamp and signature for each request. 200 means accepted.
Retry after 408, 429, 502, 503 or 504 and if no response
arrives, as late as Retry-After says. Never retry after
another status: correct the cause.

Test vector, to check the signature before you send:
  secret ${testVector.secret}, timestamp ${testVector.timestamp}, body ${testVector.body}
  sha256=${testVector.signature}

Read both variables from the environment. Log neither.`
}

/** How many names the prompt lists. */
const mostNames = 20
/** Quotes names that are not plain words: a sender chooses them, so that one could read like an instruction. */
const shownName = (name: string) => (/^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name))
const oneLine = (text: string) => text.replace(/\s+/g, ' ')

export const testVector = {
  secret: 'whsec_test',
  timestamp: '1795271515090',
  body: '{}',
  signature: 'f80975c80196fb4228da5a792ae2d98a25d00024b76f56916272b3cea23af7a0',
} as const
