import type { ConnectionRecord } from '../config.ts'
import type { ConnectionEntry } from './config-file-schema.ts'
import { SealedTextError, type Sealer } from './secrets.ts'

/** The credentials of a connection as the file has them. */
export type SealedCredentials = Pick<ConnectionEntry, 'inboundToken' | 'signingSecret' | 'oldSecrets'>
type Credentials = Pick<ConnectionRecord, 'inboundToken' | 'signingSecret' | 'oldSecrets'>

/** The context of all replaced secrets is `previousSecret`. */
type Field = 'inboundToken' | 'signingSecret' | 'previousSecret'
const contextOf = (connectionId: string, field: Field) => `connection/${connectionId}/${field}`
const contextOfVariable = (name: string) => `environment/${name}`

/** The sealed texts of a configuration. It keeps them, so that a change of something else leaves them as they are. */
export type SealedTexts = ReturnType<typeof createSealedTexts>

export function createSealedTexts(sealer: Sealer) {
  const ofConnections = new WeakMap<ConnectionRecord, SealedCredentials>()
  const ofVariables = new Map<string, { readonly value: string; readonly sealed: string }>()

  function seal(record: ConnectionRecord, before: ConnectionRecord | undefined): SealedCredentials {
    const earlier = before && ofConnections.get(before)
    const sealAs = (text: string, field: Field) => sealer.seal(text, contextOf(record.connectionId, field))
    const kept = (field: 'inboundToken' | 'signingSecret') =>
      before?.[field] === record[field] ? earlier?.[field] : undefined
    return {
      inboundToken: kept('inboundToken') ?? sealAs(record.inboundToken, 'inboundToken'),
      signingSecret: kept('signingSecret') ?? sealAs(record.signingSecret, 'signingSecret'),
      oldSecrets: record.oldSecrets.map(({ secret, expiresAt }) => {
        const index = before?.oldSecrets.findIndex(old => old.secret === secret) ?? -1
        return { secret: earlier?.oldSecrets[index]?.secret ?? sealAs(secret, 'previousSecret'), expiresAt }
      }),
    }
  }

  return {
    /** Returns the sealed credentials of a record, with the texts of the earlier record for what has not changed. */
    ofConnection(record: ConnectionRecord, before?: ConnectionRecord): SealedCredentials {
      const known = ofConnections.get(record)
      if (known !== undefined) return known
      const sealed = seal(record, before)
      ofConnections.set(record, sealed)
      return sealed
    },
    ofVariable(name: string, value: string): string {
      const known = ofVariables.get(name)
      if (known?.value === value) return known.sealed
      const sealed = sealer.seal(value, contextOfVariable(name))
      ofVariables.set(name, { value, sealed })
      return sealed
    },
    /** Creates a reader of sealed texts. */
    reader() {
      const failed: string[] = []
      let opened = 0
      function open(text: string, context: string, path: string): string {
        try {
          const plain = sealer.open(text, context)
          opened += 1
          return plain
        } catch (error) {
          if (!(error instanceof SealedTextError)) throw error
          failed.push(path)
          return ''
        }
      }
      return {
        /** Returns the record of an entry. @param path in the file. */
        openConnection<Given extends SealedCredentials & { readonly connectionId: string }>(
          entry: Given,
          path: string,
        ) {
          const { connectionId, inboundToken, signingSecret, oldSecrets } = entry
          const openField = (text: string, field: Field, at: string = field) =>
            open(text, contextOf(connectionId, field), `${path}.${at}`)
          const credentials: Credentials = {
            inboundToken: openField(inboundToken, 'inboundToken'),
            signingSecret: openField(signingSecret, 'signingSecret'),
            oldSecrets: oldSecrets.map(({ secret, expiresAt }, index) => ({
              secret: openField(secret, 'previousSecret', `oldSecrets[${index}].secret`),
              expiresAt,
            })),
          }
          return { ...entry, ...credentials }
        },
        openVariable(name: string, sealed: string, path: string): string {
          const value = open(sealed, contextOfVariable(name), path)
          ofVariables.set(name, { value, sealed })
          return value
        },
        /** Keeps the texts of a record that was opened. */
        keep(record: ConnectionRecord, { inboundToken, signingSecret, oldSecrets }: SealedCredentials): void {
          ofConnections.set(record, { inboundToken, signingSecret, oldSecrets })
        },
        /** Returns the paths of the texts that could not be opened, and whether any other could. */
        outcome: () => ({ failed, isAnyOpened: opened > 0 }),
      }
    },
  }
}
