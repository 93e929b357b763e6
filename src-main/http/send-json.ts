import type { FastifyReply } from 'fastify'

/**
 * Returns a function that sends JSON in UTF-8 as the answer of a procedure: oRPC passes a stream on as it is. Its bytes
 * are not split, so that those which the client has not read count like those of other answers.
 *
 * @param makeRoom is told how many bytes will wait for the client.
 * @param around the text before and after it.
 */
export function jsonSender(
  reply: FastifyReply,
  makeRoom: (bytes: number) => void,
  [before, after]: readonly [string, string] = ['', ''],
): (bytes: Uint8Array) => ReadableStream<Uint8Array> {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  return bytes => {
    const length = head.length + bytes.length + tail.length
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'content-length': String(length) })
    makeRoom(length)
    return ReadableStream.from([head, bytes, tail].filter(part => part.length > 0))
  }
}
