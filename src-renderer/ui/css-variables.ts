import type { CSSProperties } from 'react'

/** Types custom properties for `style`, which React's types do not include. */
export const cssVariables = (values: Readonly<Record<`--${string}`, string>>) => values as CSSProperties

/** Returns a share of the whole as CSS has it. */
export const percent = (share: number) => `${(share * 100).toFixed(3)}%`
