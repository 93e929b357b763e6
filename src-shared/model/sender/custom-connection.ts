import type { SchemeKind } from './scheme-kind.ts'

/** The scheme of the service itself, and the only one of outbound calls. */
export const customConnection = {
  title: 'Custom Connection',
  about: 'Default',
  secret: 'The signing secret of the connection. The whole string, with whsec_, is the key.',
  hasOwnSecret: false,
  templates: [
    {
      signatureHeader: 'x-service-signature',
      prefix: 'sha256=',
      encoding: 'hex',
      algorithm: 'sha256',
      key: 'text',
      signed: '{{timestamp}}.{{body}}',
      timestampHeader: 'x-service-timestamp',
      timestampUnit: 'ms',
      windowMs: 300_000,
      eventName: { path: 'event' },
      data: { path: 'data' },
    },
  ],
} satisfies SchemeKind
