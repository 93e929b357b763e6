type Protocol = { readonly starts: (bytes: Buffer) => boolean; readonly problem: string }

const startsWith =
  (...texts: readonly string[]) =>
  (bytes: Buffer) =>
    texts.some(text => bytes.toString('latin1', 0, text.length) === text)

/** Protocols that servers on a wrong port speak, and what to do. */
const protocols: readonly Protocol[] = [
  {
    // An alert or a handshake of TLS.
    starts: bytes => (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3,
    problem: 'answers with TLS. Should the base URL start with https: instead of http:?',
  },
  {
    // A frame SETTINGS or GOAWAY, whose stream is 0.
    starts: bytes =>
      startsWith('PRI * HTTP/2')(bytes) ||
      (bytes.length >= 9 &&
        bytes[0] === 0 &&
        (bytes[3] === 4 || bytes[3] === 7) &&
        bytes.readUInt32BE(5) === 0),
    problem: 'speaks HTTP/2 only, and calls use HTTP/1.1. Use a port or a proxy that speaks HTTP/1.1.',
  },
  { starts: startsWith('SSH-'), problem: 'is an SSH server. Check the port of the base URL.' },
  {
    starts: startsWith('220 ', '220-', '+OK', '* OK'),
    problem: 'is an FTP or mail server. Check the port of the base URL.',
  },
  {
    starts: startsWith('-ERR ', '-DENIED ', '-NOAUTH '),
    problem: 'is a Redis server. Check the port of the base URL.',
  },
  { starts: startsWith('AMQP'), problem: 'is a message broker (AMQP). Check the port of the base URL.' },
]

const statusLine = /^HTTP\/1\.[01] [1-9]\d\d(?: |$)/
const fieldLine = /^[\w!#$%&'*+.^`|~-]+:(.*)$/s

/**
 * Explains a response that is not valid HTTP/1.1, by the first bytes of its head.
 *
 * @param host of the server. @returns null if these bytes are in order.
 */
export function malformation(opening: Buffer, host: string): string | null {
  const text = opening.toString('latin1').replace(/^[\r\n]+/, '')
  const other = protocols.find(({ starts }) => starts(opening))
  if (other !== undefined) return `${host} ${other.problem}`
  if (text !== '' && !text.startsWith('HTTP/'))
    return `The response from ${host} is not HTTP: it has no status line. Check the host and the port of the base URL.`
  const problem = headProblem(text)
  return problem && `The response from ${host} is not valid HTTP/1.1: ${problem}.`
}

/** Returns the first mistake in a head, which may be cut; null if there is none. */
function headProblem(text: string): string | null {
  let hasLength = false
  let hasCoding = false
  const lines = text.split('\n')
  // What follows the last line break is cut.
  lines.pop()
  for (const [index, ended] of lines.entries()) {
    if (!ended.endsWith('\r')) return 'a line ends in LF instead of CR and LF'
    const line = ended.slice(0, -1)
    if (line === '') return null
    if (index === 0) {
      if (!statusLine.test(line)) return 'its first line has no valid version and status'
      continue
    }
    if (/^[ \t]/.test(line)) return 'a header field goes on in a second line'
    const [, value] = fieldLine.exec(line) ?? []
    if (value === undefined) return 'a header field has no valid name'
    if (/[^\P{Cc}\t\x80-\x9f]/u.test(value)) return 'the value of a header field has a control character'
    if (/^content-length:/i.test(line)) {
      if (hasLength) return 'it has more than one Content-Length'
      if (!/^[ \t]*\d{1,19}[ \t]*$/.test(value)) return 'its Content-Length is not a number of bytes'
      hasLength = true
    }
    if (/^transfer-encoding:/i.test(line)) hasCoding = true
    if (hasLength && hasCoding) return 'it has both Content-Length and Transfer-Encoding'
  }
  return null
}
