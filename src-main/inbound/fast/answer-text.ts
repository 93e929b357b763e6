import { STATUS_CODES } from 'node:http'
import { type Answer, acceptedAnswer } from '../answers.ts'

/**
 * Returns a function that writes answers as node:http does, with the date.
 *
 * @param keepAliveMs how long the connection stays open without a request.
 */
export function createAnswerText(keepAliveMs: number): (answer: Answer, closes: boolean) => string {
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`
  let second = 0
  let date = ''
  let accepted = ''

  function write({ status, rawHeaders, body }: Answer, closes: boolean): string {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    for (let index = 0; index < rawHeaders.length; index += 2)
      head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
    return `${head}Date: ${date}\r\n${closes ? 'Connection: close\r\n' : keepAlive}\r\n${body}`
  }

  return (answer, closes) => {
    // The system's date, which node:http writes too.
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      date = new Date(now * 1000).toUTCString()
      accepted = write(acceptedAnswer, false)
    }
    return answer === acceptedAnswer && !closes ? accepted : write(answer, closes)
  }
}
