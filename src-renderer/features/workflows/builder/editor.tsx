import { ORPCError } from '@orpc/client'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { Workflow } from '#shared/model/workflow.ts'
import { useConnectionChoice } from '../../../entities/connection/use-connections.ts'
import {
  isSamePath,
  type Path,
  pathKey,
  placedSteps,
  stepNumbers,
} from '../../../entities/workflow/step-paths.ts'
import { type Problem, StepEditingContext } from '../../../entities/workflow/steps/step-view.ts'
import { MasterDetail } from '../../../ui/master-detail.tsx'
import { Body, useTitle } from '../../../ui/page.tsx'
import { useShortcut } from '../../../ui/shortcuts.tsx'
import { toastProblem } from '../../../ui/toasts.tsx'
import { useNarrow } from '../../../ui/use-narrow.ts'
import { usePaste } from '../../../ui/use-paste.ts'
import { WorkflowRuns } from '../../runs/runs-view.tsx'
import { mayEnable } from '../may-enable.tsx'
import { useSwitchWorkflow } from '../use-update-workflow.ts'
import classes from './builder.module.css'
import { type Builder, BuilderContext, triggerPath } from './builder-context.ts'
import { newDraft } from './draft.ts'
import { DragArea } from './drag.tsx'
import { EditorFoot } from './editor-foot.tsx'
import { type EditorLook, EditorTabs } from './editor-tabs.tsx'
import { EditorTop } from './editor-top.tsx'
import { Flow } from './flow.tsx'
import { JsonForm } from './json-form.tsx'
import { readSteps } from './read-steps.ts'
import { dataOf, mergePayloads, payloadOf } from './sample.ts'
import { SettingsTab } from './settings-tab.tsx'
import {
  copyStep,
  insertCopies,
  insertStep,
  moveStep,
  replaceStep,
  type Slot,
  slotAt,
  stepAt,
} from './steps.ts'
import type { EditorTab } from './tabs.ts'
import { TestPanel } from './test-panel.tsx'
import { outputsOf } from './test-rows.ts'
import { useChosenEvent } from './use-chosen-event.ts'
import { useTriggerEvents } from './use-events.ts'
import { useFieldContext } from './use-field-context.ts'
import { useFigures } from './use-figures.ts'
import { useIdHeaders } from './use-id-headers.ts'
import { useKnown } from './use-known.ts'
import { useOnceReady } from './use-once-ready.ts'
import { useSelectedStep } from './use-selected-step.ts'
import { useShownProblems } from './use-shown-problems.ts'
import { useTestRun } from './use-test-run.ts'
import { useWorkflowDraft } from './use-workflow-draft.ts'

const group = 'Workflow'
/** The parts of the address that a new workflow starts with. */
const startsOf = ['connectionId', 'eventName', 'eventId']

function notPasted(message: string): void {
  toastProblem('Nothing was pasted', new ORPCError('invalid_input', { message }))
}

/** Edits, tests and watches a workflow. @param props.saved null for a new one. */
export function Editor({ saved }: { readonly saved: Workflow | null }) {
  const navigate = useNavigate()
  const search = useSearch({ strict: false })
  const isNarrow = useNarrow()
  const workflowId = saved?.workflowId ?? 'new'
  const [initial] = useState(() =>
    newDraft({ connectionId: search.connectionId ?? null, eventName: search.eventName ?? null }),
  )
  const tab: EditorTab = search.tab ?? 'builder'
  const setTab = (next: EditorTab) =>
    next !== tab &&
    void navigate({ to: '.', search: before => ({ ...before, tab: next === 'builder' ? undefined : next }) })
  const [look, setLook] = useState<EditorLook>('form')
  const isFlow = tab === 'builder' && look === 'form'
  /** The JSON while it is not valid. */
  const [brokenText, setBrokenText] = useState<string | null>(null)
  const isBroken = brokenText !== null
  const [isEnabled, setIsEnabled] = useState(false)
  const form = useWorkflowDraft(saved, {
    ...{ initial, isEnabled, isBlocked: isBroken },
    /** Shows why a draft is not saved. */
    async check({ leaving }) {
      if (all.some(({ blocks }) => blocks)) {
        checks.showAll()
        if (leaving !== true) showBlocking()
        return false
      }
      return !isNew || !isEnabled || mayEnable(draft.name, all)
    },
    onNotSaved: showBlocking,
    onDiscard() {
      setBrokenText(null)
      checks.reset()
    },
    staysAt: (current, next) =>
      current.pathname === next.pathname &&
      startsOf.every(name => current.search[name] === next.search[name]),
  })
  const { draft, change: edit, isDirty } = form
  const isNew = saved === null
  const { steps } = draft
  const numbers = useMemo(() => stepNumbers(steps), [steps])
  const { flow, selected, select, unselect, focusStep, change, move, remove, announcement } = useSelectedStep(
    { steps, numbers, edit, isFlow, first: isNew ? triggerPath : null },
  )
  const [adding, setAdding] = useState<Slot | null>(null)
  const [dryRun, setDryRun] = useState(false)
  const [showsTest, setShowsTest] = useState(false)

  const triggerEvents = useTriggerEvents(draft.trigger, search.eventId)
  const tests = useTestRun(workflowId)
  const chosen = useChosenEvent(triggerEvents, draft.trigger, workflowId)
  /** The fields that any event has, also the typed one. */
  const sample = useMemo(() => {
    const typed = chosen.event.kind === 'typed' && !chosen.isEmpty ? dataOf(chosen.event.dataText) : null
    return mergePayloads([typed, triggerEvents.payload].filter(data => data !== null))
  }, [chosen.event, chosen.isEmpty, triggerEvents.payload])
  const { known, environment, nameOf, actionsOf } = useKnown(draft, sample)
  const {
    all,
    shown: problems,
    ...checks
  } = useShownProblems({
    ...{ draft, saved: form.record, known, selected },
  })
  const outputs = useMemo(() => outputsOf(tests.last?.run ?? null), [tests.last])
  // Before an event is known or typed there is nothing to try the templates with.
  const payload = useMemo(
    () => (chosen.isEmpty ? null : payloadOf(chosen.event)),
    [chosen.isEmpty, chosen.event],
  )
  const figures = useFigures(isNew ? null : workflowId)

  useTitle(isNew ? 'New workflow' : (saved?.name ?? 'Workflow'))

  const idHeaders = useIdHeaders(draft.trigger.connectionId)
  const contextAt = useFieldContext({
    ...{ steps, payload, known: sample, outputs, environment, actionsOf, idHeaders },
  })

  const begin = useEffectEvent(() => {
    if (!isNew) return
    if (draft.name === '') document.querySelector<HTMLElement>('[data-name-field]')?.focus()
    else focusStep(triggerPath)
  })
  useEffect(() => begin(), [])
  const builder: Builder = {
    draft,
    edit,
    setStep: (path, step, field) => edit({ steps: replaceStep(steps, path, step) }, field ?? null),
    amendStep: (path, step) => form.amend({ steps: replaceStep(steps, path, step) }),
    selected,
    select,
    move,
    moveTo: (path, slot) => void change(moveStep(steps, path, slot)),
    copy: path => void change(copyStep(steps, path)),
    remove,
    insert: (slot, step) => {
      setAdding(null)
      const inserted = insertStep(steps, slot, step)
      // After the menu has given the focus back.
      setTimeout(() => change(inserted))
    },
    async pasteInto(slot) {
      setAdding(null)
      try {
        paste(await navigator.clipboard.readText(), slot)
      } catch {
        // The user did not allow it, or the page was loaded over plain HTTP.
        notPasted('The browser does not let the page read the clipboard. Paste with the keyboard instead.')
      }
    },
    adding,
    setAdding,
    numbers,
    problems,
    useConnectionChoice,
    nameOf,
    actionsOf,
    triggerEvents,
    idHeaders,
    contextAt,
    figures: figures.steps,
    onBlur: checks.onBlur,
  }

  /** Shows the first problem that prevents saving. */
  function showProblem(found: Problem): void {
    checks.showAll()
    const isSetting = ['name', 'ordered', 'concurrency'].includes(found.path)
    setTab(isSetting && !isNew ? 'settings' : 'builder')
    if (!isSetting) goTo(found)
    else document.querySelector<HTMLElement>('[data-name-field]')?.focus()
  }
  function goTo(problem: Problem): void {
    const owner = placedSteps(steps).findLast(({ path }) => problem.path.startsWith(pathKey(path)))
    setLook('form')
    select(owner?.path ?? triggerPath)
  }
  function showBlocking(): void {
    const blocking = all.find(({ blocks }) => blocks)
    if (blocking !== undefined) showProblem(blocking)
  }

  /** Whether the event and what is sent have to be shown before a test runs. */
  const opensTest = isNarrow && (!showsTest || tab !== 'builder')
  async function runTest(): Promise<void> {
    setTab('builder')
    setShowsTest(true)
    if (opensTest) return
    if (dataOf(chosen.event.dataText) === null || tests.isPending || form.isSaving) return
    const given = { event: chosen.event, dryRun, trigger: draft.trigger, steps }
    if (!isDirty && !isNew) return tests.run(given)
    if (isNew) await form.save({ beforeOpening: created => tests.runOnceOpen(created.workflowId, given) })
    else if ((await form.save()) !== null) tests.run(given)
  }
  // Without the event that is still being read, it would run with no data.
  const { isAwaited, ask: askForTest } = useOnceReady(opensTest || !chosen.isReading, () => void runTest())

  function step(by: 1 | -1): void {
    const order: Path[] = [triggerPath, ...placedSteps(steps).map(({ path }) => path)]
    const at = selected === null ? -1 : order.findIndex(path => isSamePath(path, selected))
    const next = order[Math.max(0, Math.min(order.length - 1, at + by))]
    if (next !== undefined) select(next)
  }
  function nextProblem(): void {
    const order = problems.map(problem => problem.path)
    const here = selected === null ? -1 : order.findLastIndex(path => path.startsWith(pathKey(selected)))
    const next = problems[(here + 1) % problems.length]
    if (next !== undefined) goTo(next)
  }
  const selectedStep = selected === null ? undefined : stepAt(steps, selected)
  const onStep = (run: (path: Path) => void) => () =>
    selectedStep !== undefined && selected !== null && run(selected)
  /** Whether the focus is on a step or nowhere, and not in the test run or on a button of another part. */
  const onFlow = (run: () => void) => () => {
    const { activeElement } = document
    if (activeElement === document.body || activeElement?.hasAttribute('data-step') === true) run()
  }
  const withStep = isFlow && selectedStep !== undefined
  useShortcut({ keys: 'arrowdown', label: 'Next step', group }, () => step(1), isFlow)
  useShortcut({ keys: 'arrowup', label: 'Previous step', group }, () => step(-1), isFlow)
  useShortcut(
    { keys: 'alt+arrowdown', label: 'Move the step down', group },
    onStep(path => move(path, 1)),
    withStep,
  )
  useShortcut(
    { keys: 'alt+arrowup', label: 'Move the step up', group },
    onStep(path => move(path, -1)),
    withStep,
  )
  const copyIt = onStep(path => void change(copyStep(steps, path)))
  useShortcut({ keys: 'mod+d', label: 'Copy the step', group }, copyIt, withStep)
  useShortcut({ keys: 'backspace', label: 'Remove the step', group }, onFlow(onStep(remove)), withStep)
  useShortcut({ keys: 'delete', label: 'Remove the step', group }, onFlow(onStep(remove)), withStep)
  const nextSlot = (): Slot =>
    selectedStep !== undefined && selected !== null
      ? slotAt(selected, 'after')
      : { list: ['steps'], index: selected === null ? steps.length : 0 }
  const add = () => setAdding(nextSlot())
  function paste(text: string, slot: Slot): void {
    const read = readSteps(text)
    const pasted = 'problem' in read ? null : insertCopies(steps, slot, read.steps)
    if (pasted !== null) return void change(pasted)
    const why = 'problem' in read ? read.problem : 'The workflow has no room for more steps here.'
    notPasted(why)
  }
  usePaste(
    useEffectEvent((text: string) => paste(text, nextSlot())),
    isFlow,
  )
  useShortcut({ keys: 'a', label: 'Add a step', group }, add, isFlow)
  useShortcut({ keys: 'f8', label: 'Next problem', group }, nextProblem, problems.length > 0)
  useShortcut({ keys: 'mod+enter', label: 'Run a test', group }, askForTest, tab !== 'runs')
  const hasHistory = form.undo !== null || form.redo !== null
  // Once all is undone, the shortcut must not go on to what a toast offers to undo.
  useShortcut({ keys: 'mod+z', label: 'Undo', group }, () => form.undo?.(), hasHistory)
  useShortcut({ keys: 'mod+shift+z', label: 'Redo', group }, () => form.redo?.(), form.redo !== null)
  const switchWorkflow = useSwitchWorkflow({ undoKeys: !hasHistory })
  const toggle = () =>
    saved === null ? setIsEnabled(!isEnabled) : switchWorkflow(saved.workflowId, !saved.enabled)
  useShortcut({ keys: 'e', label: 'Enable or disable', group }, toggle)
  useShortcut(
    { keys: 'escape', label: 'Leave the field', group },
    () => {
      const { activeElement } = document
      if (selected !== null && activeElement?.hasAttribute('data-step') !== true) focusStep(selected)
      else unselect()
    },
    tab !== 'runs',
  )

  const runLabel = opensTest
    ? 'Test…'
    : isNew
      ? 'Create and run a test'
      : isDirty
        ? 'Save and run a test'
        : 'Run a test'
  const isBusy = tests.isPending || form.isSaving || isAwaited
  const test = (
    <TestPanel
      chosen={chosen}
      tests={tests}
      dryRun={dryRun}
      onDryRun={setDryRun}
      isBusy={isBusy}
      onRun={askForTest}
    />
  )
  return (
    <BuilderContext value={builder}>
      <EditorTop
        saved={saved}
        name={draft.name}
        isSaved={!isNew && !isDirty}
        isEnabled={saved?.enabled ?? isEnabled}
        onToggle={toggle}
        runLabel={runLabel}
        isBusy={isBusy}
        onRun={askForTest}
        hasKeys={tab !== 'runs'}
        onSettings={() => setTab('settings')}
        onDelete={form.remove}
      />
      <EditorTabs
        tab={tab}
        onTab={setTab}
        isNew={isNew}
        runs={figures.runs}
        look={look}
        onLook={setLook}
        isBroken={isBroken}
        undo={form.undo}
        redo={form.redo}
      />
      {tab === 'runs' && !isNew ? (
        <WorkflowRuns>{form.saveBar}</WorkflowRuns>
      ) : (
        <>
          <Body scrolls={false}>
            {tab === 'settings' ? (
              <SettingsTab onDelete={isNew ? undefined : form.remove} />
            ) : (
              <MasterDetail
                name="workflow"
                lead={showsTest ? 'test' : 'flow'}
                back={{ label: 'Back to the steps', group, go: () => setShowsTest(false) }}
                panes={[
                  {
                    id: 'flow',
                    content: (
                      <section ref={flow} className={classes.pane} aria-label="Steps" onBlur={checks.onBlur}>
                        {look === 'json' ? (
                          <JsonForm
                            draft={draft}
                            brokenText={brokenText}
                            onChange={next => {
                              edit(next, 'json')
                              // Any field may have changed.
                              checks.showAll()
                            }}
                            onBroken={setBrokenText}
                          />
                        ) : (
                          <DragArea>
                            <StepEditingContext value={builder}>
                              <Flow isNew={isNew} />
                            </StepEditingContext>
                          </DragArea>
                        )}
                      </section>
                    ),
                  },
                  { id: 'test', size: 400, min: 300, content: test },
                ]}
              />
            )}
            <span className="sr" aria-live="polite">
              {announcement}
            </span>
          </Body>
          {form.saveBar}
          <EditorFoot isFlow={tab === 'builder'} steps={numbers.size} figures={figures} />
        </>
      )}
    </BuilderContext>
  )
}
