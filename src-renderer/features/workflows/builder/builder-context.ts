import { createSafeContext } from '@mantine/core'
import type { FocusEvent } from 'react'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'
import type { StepEditing } from '../../../entities/workflow/steps/step-view.ts'
import type { WorkflowDraft } from './draft.ts'
import type { Slot } from './steps.ts'
import type { TriggerEvents } from './use-events.ts'

/** How often a step ran. */
export type StepFigures = { readonly runs: number; readonly failures: number }

export type Builder = StepEditing & {
  readonly draft: WorkflowDraft
  readonly edit: (fields: Partial<WorkflowDraft>, tag?: string | null) => void
  /** The path of the selected step or of the trigger. */
  readonly selected: Path | null
  readonly select: (path: Path | null) => void
  readonly move: (path: Path, by: 1 | -1) => void
  readonly moveTo: (path: Path, slot: Slot) => void
  readonly copy: (path: Path) => void
  readonly remove: (path: Path) => void
  readonly insert: (slot: Slot, step: Step) => void
  /** Inserts the steps that the clipboard contains as JSON. */
  readonly pasteInto: (slot: Slot) => Promise<void>
  /** The slot whose menu of new steps is open. */
  readonly adding: Slot | null
  readonly setAdding: (slot: Slot | null) => void
  /** The number of each step by its path. */
  readonly numbers: ReadonlyMap<string, string>
  /** For an element around fields with their paths in `data-field`: shows the problems of those that the focus leaves. */
  readonly onBlur: (event: FocusEvent) => void
  readonly triggerEvents: TriggerEvents
  /** Headers with the id of a message, which the sender of the trigger's connection signs. */
  readonly idHeaders: readonly string[]
  /** By the key of the step; null while unknown. */
  readonly figures: ReadonlyMap<string, StepFigures> | null
}

export const [BuilderContext, useBuilder] = createSafeContext<Builder>('There is no workflow builder.')

/** The path of the trigger among those of the steps. */
export const triggerPath: Path = ['trigger']
