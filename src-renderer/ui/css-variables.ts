import type { CSSProperties } from 'react'

/** Custom properties for `style`, which React's types do not know of. */
export const cssVariables = (values: Readonly<Record<`--${string}`, string>>) => values as CSSProperties
