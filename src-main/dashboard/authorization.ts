import { createHash, timingSafeEqual } from 'node:crypto'

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/**
 * Compares a bearer token with the right one in constant time; digests are compared, so that not even
 * the length shows.
 *
 * @param authorization the header's value.
 */
export function createTokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digestOf(token)
  return authorization => {
    const [, presented] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
    return presented !== undefined && timingSafeEqual(digestOf(presented), expected)
  }
}
