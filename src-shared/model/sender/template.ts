import { customConnection } from './custom-connection.ts'
import type { SchemeKind } from './scheme-kind.ts'

const [byDefault] = customConnection.templates

/** A scheme that the owner describes. It begins as the default one with seconds. */
export const template = {
  title: 'Other',
  about: 'Describe it yourself',
  secret: 'The secret that the sender shows, or that you enter there.',
  hasOwnSecret: true,
  readsForms: true,
  templates: [{ ...byDefault, timestampUnit: 's' }],
} satisfies SchemeKind
