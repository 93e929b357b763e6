import { Fragment } from 'react'
import { splitAtVariables } from '#shared/platform/text-variables.ts'
import { Variable } from '../../ui/badges.tsx'

/** A text with its `{variables}` as chips. */
export function TextWithVariables({ text }: { readonly text: string }) {
  return splitAtVariables(text).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
    <Fragment key={index}>
      {part.name === null ? part.text : <Variable name={part.name} hasSingleBraces />}
    </Fragment>
  ))
}
