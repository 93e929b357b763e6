import { createSafeContext } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { z } from 'zod'
import type { Action } from '#shared/model/action.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import type { ActionsOf } from '#shared/workflows/steps/step-kind.ts'
import type { TemplatePaths } from '../../../ui/editor/complete-names.ts'
import { type Path, pathKey } from '../step-paths.ts'

/** Something wrong with a draft. */
export type Problem = {
  /** Path of the field, its parts separated by dots. */
  readonly path: string
  readonly message: string
  readonly severity: 'error' | 'warning'
  /** A text that may be used instead. */
  readonly nearest: string | null
  /** Whether the workflow cannot be saved with it. */
  readonly blocks: boolean
}

/** Returns the problems of a step or field and of what is in it. */
export function problemsIn(problems: readonly Problem[], path: Path): Problem[] {
  const key = pathKey(path)
  return problems.filter(problem => problem.path === key || problem.path.startsWith(`${key}.`))
}

/** The values that the fields of a step offer and show. */
export type FieldContext = {
  /** Null if there is no event to try the templates with. */
  readonly scope: Scope | null
  readonly names: readonly string[]
  readonly paths: TemplatePaths
  /** The names that headers offer in addition to `names`: the environment variables that are set. */
  readonly headers: Pick<FieldContext, 'names' | 'paths'>
}

/** The workflow around the fields of steps, and the functions with which they change it. */
export type StepEditing = {
  /** Replaces a step. @param field names what is typed, so that its letters are undone together. */
  readonly setStep: (path: Path, step: Step, field?: string) => void
  /** Replaces a step as a part of the last change, so that both are undone together. */
  readonly amendStep: (path: Path, step: Step) => void
  /** The problems that are shown. */
  readonly problems: readonly Problem[]
  readonly nameOf: NameOf
  /** Returns the connections that a field offers, and what takes the text that is typed into it. */
  readonly useConnectionChoice: (chosen: string | undefined) => {
    readonly rows: readonly Pick<ConnectionSummary, 'connectionId' | 'name' | 'actionCount'>[]
    readonly onTyped: (text: string) => void
  }
  readonly actionsOf: ActionsOf<Action>
  readonly contextAt: (path: Path) => FieldContext
}

export const [StepEditingContext, useStepEditing] = createSafeContext<StepEditing>(
  'There is no workflow builder.',
)

/** Returns the name of a connection. */
export type NameOf = (connectionId: string) => string

/** The parts of an action that name a step. */
export type NamedAction = Pick<Action, 'name' | 'toolName'>

/** A step as a run took it. */
export type Ran = {
  readonly input: unknown
  readonly output: unknown
  /** When a waiting run goes on. */
  readonly nextAt: string | null
  /** Milliseconds since 1970: when the run began. Times of the same day are shown without it. */
  readonly began: number
}

/** The target of a step's call. */
export type Target = {
  /** Undefined while it is not known. */
  readonly method: Action['method'] | undefined
  /** The name of an action, or a URL. */
  readonly name: string
  /** Who answers, such as a connection or a host. */
  readonly from: string
  /** Says both in short. */
  readonly text: string
}

/** Renders the steps of a case or of a loop. */
export type RenderList = (steps: readonly Step[], list: Path) => ReactNode

/** The props of the fields of a step. */
export type FieldsOf<Own> = { readonly step: Own; readonly path: Path }

/** How the dashboard names, shows and edits a type of step. */
export type StepView<Own> = {
  readonly name: string
  /** Says what it does, in the menu of new steps. */
  readonly purpose: string
  readonly icon: LucideIcon
  /** The key of the first one in a workflow. */
  readonly key: string
  /** Returns a new step, with as little as it needs. */
  blank(key: string): Own
  /** Returns the title of a step, for example the name of its action. */
  title(step: Own, actionsOf: ActionsOf<NamedAction>): string
  /** Returns what a step calls; null if it calls nothing. */
  target(step: Own, nameOf: NameOf, actionsOf: ActionsOf<Pick<Action, 'toolName' | 'method'>>): Target | null
  /** Returns one line about what a step did in a run; null where it says nothing. @param step null if it is gone. */
  outcome(step: Own | null, ran: Ran): string | null
  /** Returns what is wrong with a step besides its schema and its references, by the path of its field. */
  problems(step: Own): readonly { readonly path: Path; readonly message: string }[]
  /** Whether a policy for failures makes a difference. */
  readonly mayFail: boolean
  /** Shows a step in one line, within the builder. */
  Summary(props: { readonly step: Own }): ReactNode
  /** The fields of the selected step; null if they are all `Inside`. */
  readonly Fields: Component<FieldsOf<Own>> | null
  /** The steps inside it; null if it has none. */
  readonly Inside: Component<FieldsOf<Own> & InsideProps> | null
}

/** As a method, so that a view of one type of step can be used where its type is not known. */
type Component<Props> = { render(props: Props): ReactNode }['render']

export type InsideProps = {
  /** Whether the step is selected. */
  readonly isEdited: boolean
  readonly renderList: RenderList
}

const WithMessage = z.object({ message: z.string().min(1) })

/** Returns the message of an input or an output; null if it has none. */
export function messageOf(value: unknown): string | null {
  return WithMessage.safeParse(value).data?.message ?? null
}

/** The parts that most types of steps have in common. */
export const plain = {
  target: () => null,
  problems: () => [],
  mayFail: true,
  Inside: null,
}
