import type { CSSProperties } from 'react'

/** Types custom properties for `style`, which React's types do not include. */
export const cssVariables = (values: Readonly<Record<`--${string}`, string>>) => values as CSSProperties
