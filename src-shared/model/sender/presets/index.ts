import type { SchemeKind } from '../scheme-kind.ts'
import { gitlab } from './gitlab.ts'

/** The schemes of providers whose fields can be overridden, in the order of their use. */
export const presetKinds = { gitlab } satisfies Record<string, SchemeKind>
