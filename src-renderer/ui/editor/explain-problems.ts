import { type Diagnostic, setDiagnosticsEffect } from '@codemirror/lint'
import {
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
  type Transaction,
} from '@codemirror/state'
import {
  type Command,
  Decoration,
  EditorView,
  GutterMarker,
  gutterLineClass,
  WidgetType,
} from '@codemirror/view'
import { messageParts } from './problems.ts'
import { svgIcon } from './svg-icon.ts'

/** The problems of the text, in its order, at their current places. */
type Explained = {
  readonly problems: readonly Diagnostic[]
  /** The problem whose explanation is shown beneath its line. */
  readonly current: Diagnostic | null
  /** False until the first check of the text. */
  readonly isChecked: boolean
}

const explain = StateEffect.define<Diagnostic>()

const explained = StateField.define<Explained>({
  create: () => ({ problems: [], current: null, isChecked: false }),
  update(before, transaction) {
    let { problems, current, isChecked } = moved(before, transaction)
    for (const effect of transaction.effects) {
      if (effect.is(setDiagnosticsEffect)) {
        isChecked = true
        problems = effect.value.toSorted((one, other) => one.from - other.from)
        const same = problems.find(one => current !== null && isSame(one, current))
        current = same ?? problems.find(one => one.severity === 'error') ?? problems[0] ?? null
      }
      if (effect.is(explain)) current = effect.value
    }
    // Moving the cursor to a line with a problem explains that problem.
    if (transaction.selection !== undefined && !transaction.effects.some(effect => effect.is(explain))) {
      const { doc, selection } = transaction.state
      const { from, to } = doc.lineAt(selection.main.head)
      const onLine = problems.filter(one => one.from >= from && one.from <= to)
      const here = onLine.findLast(one => one.from <= selection.main.head) ?? onLine[0]
      current = here ?? current
    }
    if (problems === before.problems && current === before.current) return before
    return { problems, current, isChecked }
  },
  provide: field => [
    EditorView.decorations.compute([field], state => decorate(state, state.field(field))),
    gutterLineClass.compute([field], state => markLines(state, state.field(field))),
  ],
})

function moved(before: Explained, { docChanged, changes }: Transaction): Explained {
  const { problems, current } = before
  if (!docChanged || problems.length === 0) return before
  const move = (one: Diagnostic) => ({
    ...one,
    from: changes.mapPos(one.from, 1),
    to: changes.mapPos(one.to, -1),
  })
  const now = problems.map(move)
  return {
    ...before,
    problems: now,
    current: current === null ? null : (now[problems.indexOf(current)] ?? move(current)),
  }
}

const isSame = (one: Diagnostic, other: Diagnostic) =>
  one.from === other.from && one.message === other.message

const classOf = ({ severity }: Diagnostic) => (severity === 'error' ? 'cc-error' : 'cc-warning')

/** Returns the worst problem of each line, by the line's start. */
function linesWith(state: EditorState, problems: readonly Diagnostic[]): [number, Diagnostic][] {
  const lines = new Map<number, Diagnostic>()
  for (const problem of problems) {
    const { from } = state.doc.lineAt(Math.min(problem.from, state.doc.length))
    if (lines.get(from)?.severity !== 'error') lines.set(from, problem)
  }
  return [...lines].sort(([one], [other]) => one - other)
}

function decorate(state: EditorState, { problems, current }: Explained) {
  const ranges: Range<Decoration>[] = linesWith(state, problems).map(([from, problem]) =>
    Decoration.line({ class: classOf(problem) }).range(from),
  )
  if (current !== null) {
    const widget = new Explanation(current.message, classOf(current))
    const end = state.doc.lineAt(Math.min(current.from, state.doc.length)).to
    ranges.push(Decoration.widget({ widget, block: true, side: 1 }).range(end))
  }
  return Decoration.set(ranges, true)
}

class LineMark extends GutterMarker {
  override readonly elementClass: string
  constructor(elementClass: string) {
    super()
    this.elementClass = elementClass
  }
  override eq(other: LineMark): boolean {
    return other.elementClass === this.elementClass
  }
}

function markLines(state: EditorState, { problems }: Explained) {
  return RangeSet.of(
    linesWith(state, problems).map(([from, problem]) => new LineMark(classOf(problem)).range(from)),
  )
}

class Explanation extends WidgetType {
  readonly #message: string
  readonly #class: ReturnType<typeof classOf>
  constructor(message: string, className: ReturnType<typeof classOf>) {
    super()
    this.#message = message
    this.#class = className
  }
  override eq(other: Explanation): boolean {
    return other.#message === this.#message && other.#class === this.#class
  }
  override get estimatedHeight(): number {
    return 32
  }
  override toDOM(): HTMLElement {
    const box = document.createElement('div')
    box.className = `cc-explanation ${this.#class}`
    box.append(svgIcon(icons[this.#class]), sentence(this.#message))
    return box
  }
}

function sentence(message: string): HTMLElement {
  const words = document.createElement('span')
  for (const { text, isCode, isFirst } of messageParts(message)) {
    const part = document.createElement(isCode ? 'code' : isFirst ? 'b' : 'span')
    part.textContent = text
    words.append(part)
  }
  return words
}

/** lucide's circle-x and triangle-alert. */
const icons = {
  'cc-error': 'M12 2a10 10 0 1 0 0 20 10 10 0 1 0 0-20M15 9l-6 6M9 9l6 6',
  'cc-warning': 'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3M12 9v4M12 17h.01',
}

export const problemsIn = (state: EditorState): Explained => state.field(explained)

/** Moves the cursor to a problem and explains it. */
export function goToProblem(view: EditorView, problem: Diagnostic): void {
  const line = view.state.doc.lineAt(problem.from)
  view.dispatch({
    selection: { anchor: problem.from },
    effects: [
      explain.of(problem),
      EditorView.scrollIntoView(problem.from, { y: 'center' }),
      EditorView.announce.of(
        `Line ${line.number}, column ${problem.from - line.from + 1}: ${problem.message}`,
      ),
    ],
  })
  view.focus()
}

function step(direction: 1 | -1): Command {
  return view => {
    const { problems } = problemsIn(view.state)
    const { head } = view.state.selection.main
    const next =
      direction === 1
        ? (problems.find(({ from }) => from > head) ?? problems[0])
        : (problems.findLast(({ from }) => from < head) ?? problems.at(-1))
    if (next !== undefined) goToProblem(view, next)
    return true
  }
}
export const nextProblem = step(1)
export const previousProblem = step(-1)

/** Tints the lines with problems and explains one of them beneath its line. */
export const explainProblems: Extension = explained
