import { Calendar } from '#shared/model/platform/calendar.ts'
import { formatCount } from '../../../ui/format.ts'
import { type AgentForm, AgentPage, AgentSection } from '../agent-page.tsx'
import { NumberField } from '../number-field.tsx'
import { useShape } from '../use-shapes.ts'
import { changeLabel } from './change-labels.ts'
import { addDays, formatDate, weekdayOn } from './dates.ts'
import { SlotsPane } from './slots-pane.tsx'
import { type SlotPreview, useSlotPreview } from './use-slot-preview.ts'
import { Week } from './week.tsx'

const words: Readonly<Record<keyof Calendar, string>> = {
  workingHours: 'working hours',
  bufferTime: 'buffer',
  maxAdvanceBooking: 'furthest ahead',
}

/** The calendar of an agent: its week, and the slots that come out. */
export function CalendarPage() {
  const saved = useShape('calendar')
  const preview = useSlotPreview()
  return (
    <AgentPage
      path="/agent/calendar"
      saved={saved}
      heading="Calendar"
      intro="When the agent may offer appointments, in its own local time."
      fields={words}
      summary={(draft, _changed, before) => changeLabel(draft, before)}
      hints={{ 'arrowleft arrowright': 'previous, next day', 'arrowup arrowdown': 'change a time by 15 min' }}
      foot={({ draft }) => <Figures calendar={draft} />}
      pane={{
        name: 'Slots',
        size: 332,
        content: ({ draft }) => <SlotsPane availability={valid(draft)} preview={preview} />,
      }}
    >
      {form => <CalendarForm form={form} preview={preview} />}
    </AgentPage>
  )
}

const valid = (draft: Calendar) => Calendar.safeParse(draft).data ?? null

function Figures({ calendar }: { readonly calendar: Calendar }) {
  const { workingHours, bufferTime, maxAdvanceBooking } = calendar
  return (
    <span className="num">
      {formatCount(Object.keys(workingHours).length, 'day')} open
      {bufferTime > 0 && ` · buffer ${bufferTime} min`}
      {maxAdvanceBooking >= 0 && ` · ${formatCount(maxAdvanceBooking, 'day')} ahead`}
    </span>
  )
}

function CalendarForm(props: { readonly form: AgentForm<Calendar>; readonly preview: SlotPreview }) {
  const { draft, change, problems } = props.form
  const { today } = props.preview
  const { bufferTime, maxAdvanceBooking } = draft
  const availability = valid(draft)
  const furthest =
    problems.maxAdvanceBooking === undefined
      ? `Until ${formatDate(addDays(today, maxAdvanceBooking), today)}.`
      : undefined
  return (
    <>
      <AgentSection>
        <Week
          value={draft.workingHours}
          onChange={workingHours => change({ workingHours })}
          problemAt={path => problems[`workingHours.${path}`]}
          current={availability === null ? null : weekdayOn(props.preview.at(availability).date)}
        />
      </AgentSection>
      <AgentSection>
        <div className="pair" style={{ gap: 24 }}>
          <NumberField
            label="Buffer"
            description="Kept free between two appointments."
            suffix=" minutes"
            min={0}
            step={5}
            value={bufferTime}
            error={problems.bufferTime}
            onChange={bufferTime => change({ bufferTime })}
          />
          <NumberField
            label="Furthest ahead"
            description={furthest}
            suffix=" days"
            min={0}
            value={maxAdvanceBooking}
            error={problems.maxAdvanceBooking}
            onChange={maxAdvanceBooking => change({ maxAdvanceBooking })}
          />
        </div>
      </AgentSection>
    </>
  )
}
