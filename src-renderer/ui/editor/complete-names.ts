import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'

export type Names = {
  readonly names: readonly string[]
  readonly unknownNames: readonly string[]
  readonly onNewVariable: (() => void) | null
}

/** Offers the names behind `{{`, or anywhere when asked for. */
export function completeNames(known: Names): Extension {
  return autocompletion({
    override: [context => complete(context, known)],
    icons: false,
    optionClass: ({ type }) => `cc-${type}`,
    addToOptions: [{ position: 20, render: ({ type }) => icon(type === 'new' ? plus : key) }],
  })
}

function complete(context: CompletionContext, known: Names): CompletionResult | null {
  const begun = context.matchBefore(/\{\{?\w*$/)
  if (begun === null && !context.explicit) return null
  // A single brace is as yet no variable.
  if (begun?.text === '{' && !context.explicit) return null
  const from = begun?.from ?? context.pos
  const unknown = new Set(known.unknownNames)
  const options: Completion[] = [...new Set([...known.names, ...known.unknownNames])].map(name => ({
    label: `{{${name}}}`,
    displayLabel: name,
    type: unknown.has(name) ? 'unset' : 'set',
    ...(unknown.has(name) ? { detail: 'not set' } : {}),
    apply(view, completion, start, end) {
      // What closes it may be there already.
      const behind = view.state.sliceDoc(end, end + 2)
      const closing = /^\}*/.exec(behind)?.[0].length ?? 0
      view.dispatch({
        changes: { from: start, to: end + closing, insert: completion.label },
        selection: { anchor: start + completion.label.length },
        userEvent: 'input.complete',
      })
    },
  }))
  const { onNewVariable } = known
  if (onNewVariable !== null)
    options.push({
      label: context.state.sliceDoc(from, context.pos),
      displayLabel: 'New variable',
      type: 'new',
      boost: -99,
      apply: () => onNewVariable(),
    })
  return { from, options, validFor: /^\{\{\w*$/ }
}

const key =
  'm15.5 7.5 2.3 2.3a1 1 0 0 0 1.4 0l2.1-2.1a1 1 0 0 0 0-1.4L19 4M21 2l-9.6 9.6M7.5 10a5.5 5.5 0 1 0 0 11 5.5 5.5 0 1 0 0-11'
const plus = 'M5 12h14M12 5v14'

function icon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
