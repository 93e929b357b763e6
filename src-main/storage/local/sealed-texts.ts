import type { ConnectionRecord, OldSecret } from '../config.ts'
import type { ConnectionEntry } from './config-file-schema.ts'
import { SealedTextError, type Sealer } from './secrets.ts'

type Field = 'inboundToken' | 'signingSecret' | 'senderSecret' | 'verifyToken'
type ListField = 'oldSecrets' | 'oldSenderSecrets'
/** The credentials of a connection as the file has them. */
export type SealedCredentials = Pick<ConnectionEntry, Field | ListField>
type Credentials = Pick<ConnectionRecord, Field | ListField>
type OldSecrets = readonly OldSecret[]

/** The context of all texts of a list. */
const listContexts = { oldSecrets: 'previousSecret', oldSenderSecrets: 'previousSenderSecret' } as const
type Context = Field | (typeof listContexts)[ListField]
const contextOf = (connectionId: string, context: Context) => `connection/${connectionId}/${context}`
const contextOfVariable = (name: string) => `environment/${name}`

/** The sealed texts of a configuration. It keeps them, so that a change of something else leaves them as they are. */
export type SealedTexts = ReturnType<typeof createSealedTexts>

export function createSealedTexts(sealer: Sealer) {
  const ofConnections = new WeakMap<ConnectionRecord, SealedCredentials>()
  const ofVariables = new Map<string, { readonly value: string; readonly sealed: string }>()

  function seal(record: ConnectionRecord, before: ConnectionRecord | undefined): SealedCredentials {
    const earlier = before && ofConnections.get(before)
    const { connectionId } = record
    const sealAs = (text: string, context: Context) => sealer.seal(text, contextOf(connectionId, context))
    const one = (field: Field, text: string) =>
      (before?.[field] === text ? earlier?.[field] : undefined) ?? sealAs(text, field)
    const list = (field: ListField, secrets: OldSecrets) =>
      secrets.map(({ secret, expiresAt }) => {
        const index = before?.[field]?.findIndex(old => old.secret === secret) ?? -1
        const sealed = earlier?.[field]?.[index]?.secret ?? sealAs(secret, listContexts[field])
        return { secret: sealed, expiresAt }
      })
    const { inboundToken, signingSecret, senderSecret, verifyToken, oldSecrets, oldSenderSecrets } = record
    return {
      inboundToken: one('inboundToken', inboundToken),
      signingSecret: one('signingSecret', signingSecret),
      oldSecrets: list('oldSecrets', oldSecrets),
      ...(senderSecret !== undefined && { senderSecret: one('senderSecret', senderSecret) }),
      ...(verifyToken !== undefined && { verifyToken: one('verifyToken', verifyToken) }),
      ...(oldSenderSecrets !== undefined && { oldSenderSecrets: list('oldSenderSecrets', oldSenderSecrets) }),
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
          const { senderSecret, verifyToken, oldSenderSecrets } = entry
          const openAs = (text: string, context: Context, at: string) =>
            open(text, contextOf(connectionId, context), `${path}.${at}`)
          const one = (field: Field, text: string) => openAs(text, field, field)
          const list = (field: ListField, secrets: OldSecrets) =>
            secrets.map(({ secret, expiresAt }, index) => ({
              secret: openAs(secret, listContexts[field], `${field}[${index}].secret`),
              expiresAt,
            }))
          const credentials: Credentials = {
            inboundToken: one('inboundToken', inboundToken),
            signingSecret: one('signingSecret', signingSecret),
            oldSecrets: list('oldSecrets', oldSecrets),
            ...(senderSecret !== undefined && { senderSecret: one('senderSecret', senderSecret) }),
            ...(verifyToken !== undefined && { verifyToken: one('verifyToken', verifyToken) }),
            ...(oldSenderSecrets !== undefined && {
              oldSenderSecrets: list('oldSenderSecrets', oldSenderSecrets),
            }),
          }
          return { ...entry, ...credentials }
        },
        openVariable(name: string, sealed: string, path: string): string {
          const value = open(sealed, contextOfVariable(name), path)
          ofVariables.set(name, { value, sealed })
          return value
        },
        /** Keeps the texts of a record that was opened. */
        keep(record: ConnectionRecord, entry: SealedCredentials): void {
          const { inboundToken, signingSecret, oldSecrets, senderSecret, verifyToken, oldSenderSecrets } =
            entry
          ofConnections.set(record, {
            ...{ inboundToken, signingSecret, oldSecrets },
            ...(senderSecret !== undefined && { senderSecret }),
            ...(verifyToken !== undefined && { verifyToken }),
            ...(oldSenderSecrets !== undefined && { oldSenderSecrets }),
          })
        },
        /** Returns the paths of the texts that could not be opened, and whether any other could. */
        outcome: () => ({ failed, isAnyOpened: opened > 0 }),
      }
    },
  }
}
