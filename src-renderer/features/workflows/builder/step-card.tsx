import { Copy, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { actionOf } from '#shared/workflows/steps/action.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { isSamePath, type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import { durationText, stepTitle } from '../../../entities/workflow/words.ts'
import { Method } from '../../../ui/badges.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { BranchLanes } from './branch-lanes.tsx'
import classes from './builder.module.css'
import { type RenderList, useBuilder } from './builder-context.ts'
import { CardHead } from './card-parts.tsx'
import { Grip } from './drag.tsx'
import { AdvancedFields, StepFields } from './step-fields.tsx'
import { StepIcon } from './step-icon.tsx'
import { TemplateText } from './template-text.tsx'

/** A step of the flow; the selected one shows its fields. */
export function StepCard(props: {
  readonly step: Step
  readonly path: Path
  readonly renderList: RenderList
}) {
  const { step, path, renderList } = props
  const { selected, numbers, copy, remove, figures, actionsOf } = useBuilder()
  const isSelected = selected !== null && isSamePath(selected, path)
  const number = numbers.get(pathKey(path)) ?? ''
  const figure = figures?.get(step.key)
  return (
    <article className={classes.card} data-selected={isSelected || undefined}>
      <div className={classes.headRow}>
        <CardHead
          path={path}
          icon={<StepIcon type={step.type} />}
          title={stepTitle(step, actionsOf)}
          summary={<StepSummary step={step} />}
          grip={<Grip path={path} />}
          end={
            <>
              {figure !== undefined && figure.runs > 0 && (
                <span className={`${classes.figure} num`}>
                  {formatCount(figure.runs, 'run')}
                  {figure.failures > 0 && (
                    <span className="bad"> · {formatNumber(figure.failures)} failed</span>
                  )}
                </span>
              )}
              <span className={`${classes.number} num`}>
                <span className="sr">Step </span>
                {number}
              </span>
            </>
          }
        />
        {isSelected && (
          <span className={classes.tools}>
            <IconButton icon={Copy} size="xs" label={`Copy step ${number}`} onClick={() => copy(path)} />
            <IconButton
              icon={Trash2}
              size="xs"
              label={`Remove step ${number}`}
              onClick={() => remove(path)}
            />
          </span>
        )}
      </div>
      {isSelected && step.type !== 'branch' && (
        <div className={classes.fields} data-fields>
          <StepFields step={step} path={path} />
          <AdvancedFields step={step} path={path} />
        </div>
      )}
      {step.type === 'branch' && (
        <BranchLanes step={step} path={path} isEdited={isSelected} renderList={renderList} />
      )}
      {isSelected && step.type === 'branch' && (
        <div className={classes.fields}>
          <AdvancedFields step={step} path={path} />
        </div>
      )}
      {step.type === 'each' && (
        <div className={classes.lane}>{renderList(step.steps, [...path, 'steps'])}</div>
      )}
    </article>
  )
}

function StepSummary({ step }: { readonly step: Step }): ReactNode {
  const { actionsOf, nameOf } = useBuilder()
  switch (step.type) {
    case 'action': {
      if (step.connectionId === '') return 'Choose a connection and an action'
      const action = actionOf(step, actionsOf)
      return (
        <span className="row">
          {action !== undefined && <Method method={action.method} />}
          <span className="cut">
            {nameOf(step.connectionId)} · <code>{step.toolName}</code>
          </span>
        </span>
      )
    }
    case 'http':
      return (
        <span className="row">
          <Method method={step.method} />
          <span className="cut">{step.url === '' ? 'No address yet' : <TemplateText text={step.url} />}</span>
        </span>
      )
    case 'branch':
      return 'first condition that is true'
    case 'each':
      return step.items === '' ? 'Choose a list' : <TemplateText text={`in ${step.items}`} />
    case 'wait':
      return step.until === undefined ? (
        durationText(step.seconds ?? 0)
      ) : (
        <TemplateText text={`until ${step.until}`} />
      )
    case 'notify':
      return step.message === '' ? 'No message yet' : <TemplateText text={step.message} />
    case 'stop':
      return (
        <TemplateText text={step.message ? `as ${step.outcome}: ${step.message}` : `as ${step.outcome}`} />
      )
  }
}
