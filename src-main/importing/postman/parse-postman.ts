import type { Constants } from '#shared/model/placeholders.ts'
import { convertApi } from '../openapi/convert-openapi.ts'
import { parseApi } from '../openapi/parse-openapi.ts'
import type { Parsed } from '../parse.ts'
import { readPostman } from './read-postman.ts'

/**
 * Parses a Postman collection 2.1: converts it to an import document and checks that. Positions refer to the collection.
 * Never throws. Pure.
 *
 * @param constants replace placeholders of paths.
 */
export function parsePostman(text: string, constants: Constants): Parsed {
  return parseApi(text, root => {
    const source = readPostman(root)
    return 'refused' in source ? source : convertApi(source, constants, () => ({ kind: 'actions' }))
  })
}
