import { compactJson } from '../../ui/format-json.ts'
import { escapeUnit } from './quote.ts'

/**
 * Returns the body of an inbound event on one line. Numbers keep their digits, since `data` is not parsed. Characters
 * that an editor would not show, such as control characters, joiners and direction marks, become `\uXXXX`.
 *
 * @param data JSON text; other text only loses white space and gets its invisible characters escaped.
 */
export function eventBody(eventName: string, data: string): string {
  const body = `{"event":${JSON.stringify(eventName)},"data":${compactJson(data)}}`
  return body.replace(unseen, character => character.split('').map(escapeUnit).join(''))
}

const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu
