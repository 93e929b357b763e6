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
    // Enter would send the form instead.
    interactionDelay: 0,
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
  const written = (begun?.text ?? '').replace(/^\{+/, '').toLowerCase()
  const options = [...new Set([...known.names, ...known.unknownNames])]
    .filter(name => name.toLowerCase().includes(written))
    .map(name => nameOption(name, known))
  const { onNewVariable } = known
  if (onNewVariable !== null)
    options.push({ label: 'New variable', type: 'new', apply: () => onNewVariable() })
  return {
    from,
    options,
    filter: false,
    getMatch({ displayLabel }) {
      const at = displayLabel?.toLowerCase().indexOf(written) ?? -1
      return at === -1 || written === '' ? [] : [at, at + written.length]
    },
  }
}

function nameOption(name: string, { unknownNames }: Names): Completion {
  const isUnset = unknownNames.includes(name)
  return {
    label: `{{${name}}}`,
    displayLabel: name,
    type: isUnset ? 'unset' : 'set',
    ...(isUnset && { detail: 'not set' }),
    apply(view, { label }, start, end) {
      // What closes it may be there already.
      const [closing = ''] = /^\}*/.exec(view.state.sliceDoc(end, end + 2)) ?? []
      view.dispatch({
        changes: { from: start, to: end + closing.length, insert: label },
        selection: { anchor: start + label.length },
        userEvent: 'input.complete',
      })
    },
  }
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
