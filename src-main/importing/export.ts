import type { Mask } from '#main/outbound/masking.ts'
import type { CaseRecord, ConnectionRecord } from '#main/storage/config.ts'
import { ExactJson, parseExact } from '#shared/json/exact-json.ts'
import { ActionData } from '#shared/model/action.ts'
import { PortableConnection } from '#shared/model/connection.ts'
import { ExportedEventType, type ImportDocument, importVersion } from '#shared/model/import-document.ts'

/**
 * Returns a connection as an import document, with all its fields in a stable order and without credentials. Importing it
 * creates the same connection with new credentials and default settings. Pure.
 *
 * @param cases those of the connection.
 * @param mask hides the values of variables that were set after a case was saved.
 */
export function exportConnection(
  record: ConnectionRecord,
  cases: readonly CaseRecord[],
  mask: Mask,
): ImportDocument {
  const casesByAction = Map.groupBy(cases, ({ actionId }) => actionId)
  return {
    version: importVersion,
    connection: PortableConnection.parse(record),
    actions: record.actions.map(action => {
      const own = casesByAction.get(action.actionId)
      return {
        ...ActionData.parse(action),
        ...(own !== undefined && { cases: own.map(one => exportCase(one, mask)) }),
      }
    }),
    events: record.eventTypes.map(({ samplePayload, sampleText, ...type }) => ({
      ...ExportedEventType.parse(type),
      // As text until the response is written, because copies of the object would lose a key such as `__proto__`.
      samplePayload: samplePayload && new ExactJson(sampleText ?? JSON.stringify(samplePayload)),
    })),
  }
}

/** Returns a case without its ids. Its values are texts until the response is written. */
function exportCase({ name, argumentsText, expect }: CaseRecord, mask: Mask) {
  const masked = (text: string) => {
    const value = parseExact(text)
    const shown = mask(value)
    return new ExactJson(shown === value ? text : JSON.stringify(shown))
  }
  return {
    name: String(mask(name)),
    arguments: masked(argumentsText),
    expect: {
      status: expect.status,
      fields: expect.fields.map(({ path, rule, valueText }) => ({
        ...{ path: String(mask(path)), rule },
        ...(valueText !== undefined && { value: masked(valueText) }),
      })),
    },
  }
}
