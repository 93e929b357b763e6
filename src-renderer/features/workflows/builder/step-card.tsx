import { Copy, Lock, Trash2 } from 'lucide-react'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { isSamePath, type Path, pathKey } from '../../../entities/workflow/step-paths.ts'
import type { RenderList } from '../../../entities/workflow/steps/step-view.ts'
import { viewOf } from '../../../entities/workflow/steps/views.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import classes from './builder.module.css'
import { useBuilder } from './builder-context.ts'
import { CardHead } from './card-parts.tsx'
import { Grip } from './drag.tsx'

/** A step of the flow; the selected one shows its fields. */
export function StepCard(props: {
  readonly step: Step
  readonly path: Path
  readonly renderList: RenderList
}) {
  const { step, path, renderList } = props
  const { selected, numbers, copy, remove, figures, actionsOf } = useBuilder()
  const { icon: Icon, title, Summary, Fields, Inside } = viewOf(step)
  const isSelected = selected !== null && isSamePath(selected, path)
  const number = numbers.get(pathKey(path)) ?? ''
  const figure = figures?.get(step.key)
  return (
    <article className={classes.card} data-selected={isSelected || undefined}>
      <div className={classes.headRow}>
        <CardHead
          path={path}
          step={step}
          icon={<Icon size={16} />}
          title={title(step, actionsOf)}
          summary={<Summary step={step} />}
          grip={<Grip path={path} />}
          end={
            <>
              {step.private && (
                <span className="t3" title="Private: neither input nor output is kept">
                  <Lock size={14} aria-hidden />
                  <span className="sr">Private</span>
                </span>
              )}
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
      {isSelected && Fields !== null && (
        <div className={classes.fields} data-fields>
          <Fields step={step} path={path} />
          <AdvancedFields step={step} path={path} />
        </div>
      )}
      {Inside !== null && <Inside step={step} path={path} isEdited={isSelected} renderList={renderList} />}
      {isSelected && Fields === null && (
        <div className={classes.fields}>
          <AdvancedFields step={step} path={path} />
        </div>
      )}
    </article>
  )
}
