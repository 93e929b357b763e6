import { createSafeContext } from '@mantine/core'
import type { FocusEvent, ReactNode } from 'react'
import type { Action } from '#shared/model/action.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import type { Scope } from '#shared/workflows/templates.ts'
import type { ConnectionRow } from '../../../entities/connection/use-connections.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'
import type { TemplatePaths } from '../../../ui/editor/complete-names.ts'
import type { WorkflowDraft } from './draft.ts'
import type { Problem } from './problems.ts'
import type { Slot } from './steps.ts'
import type { TriggerEvents } from './use-events.ts'

/** The values that the fields of a step offer and show. */
export type FieldContext = {
  /** Null if there is no event to try the templates with. */
  readonly scope: Scope | null
  readonly names: readonly string[]
  readonly paths: TemplatePaths
  /** What headers offer in addition to `names`: the environment variables that are set. */
  readonly headers: Pick<FieldContext, 'names' | 'paths'>
}

/** Renders the steps of a case or of a loop. */
export type RenderList = (steps: readonly Step[], list: Path) => ReactNode

/** How often a step ran. */
export type StepFigures = { readonly runs: number; readonly failures: number }

export type Builder = {
  readonly draft: WorkflowDraft
  readonly edit: (fields: Partial<WorkflowDraft>, tag?: string | null) => void
  /** Replaces a step. @param field names what is typed, so that its letters are undone together. */
  readonly setStep: (path: Path, step: Step, field?: string) => void
  /** Replaces a step as a part of the last change, so that both are undone together. */
  readonly amendStep: (path: Path, step: Step) => void
  /** The path of the selected step or of the trigger. */
  readonly selected: Path | null
  readonly select: (path: Path | null) => void
  readonly move: (path: Path, by: 1 | -1) => void
  readonly moveTo: (path: Path, slot: Slot) => void
  readonly copy: (path: Path) => void
  readonly remove: (path: Path) => void
  readonly insert: (slot: Slot, step: Step) => void
  /** The slot whose menu of new steps is open. */
  readonly adding: Slot | null
  readonly setAdding: (slot: Slot | null) => void
  /** The number of each step by its path. */
  readonly numbers: ReadonlyMap<string, string>
  /** The problems that are shown. */
  readonly problems: readonly Problem[]
  /** For an element around fields with their paths in `data-field`: shows the problems of those that the focus leaves. */
  readonly onBlur: (event: FocusEvent) => void
  readonly connections: readonly ConnectionRow[]
  readonly nameOf: (connectionId: string) => string
  /** Returns the actions of a connection; null while they are read. */
  readonly actionsOf: (connectionId: string) => readonly Action[] | null
  readonly triggerEvents: TriggerEvents
  readonly contextAt: (path: Path) => FieldContext
  /** By the key of the step; null while unknown. */
  readonly figures: ReadonlyMap<string, StepFigures> | null
}

export const [BuilderContext, useBuilder] = createSafeContext<Builder>('There is no workflow builder.')

/** The path of the trigger among those of the steps. */
export const triggerPath: Path = ['trigger']

/** The props of the fields of a step. */
export type FieldsOf<Type extends Step['type']> = {
  readonly step: Step & { readonly type: Type }
  readonly path: Path
}
